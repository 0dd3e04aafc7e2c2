import { valuesOf } from './translate.ts';
import type { Values } from './types.ts';

/** One question in their form, which holds several. */
export function questionCall({ question, choices, multiple }: Values): Values {
  const labels = Array.isArray(choices) ? choices : [];
  return {
    questions: [
      {
        question,
        header: '',
        options: labels.map((label) => ({ label, description: '' })),
        multiSelect: multiple === true,
      },
    ],
  };
}

export function answersOf({ questions }: Values): Values | string {
  if (!Array.isArray(questions) || questions.length !== 1) return 'it does not hold exactly one question';
  const { question, options, multiSelect } = valuesOf(questions[0]);
  return {
    question,
    choices: Array.isArray(options) ? options.map((option) => valuesOf(option).label) : [],
    multiple: multiSelect === true,
  };
}

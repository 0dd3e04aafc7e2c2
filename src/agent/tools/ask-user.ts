import * as z from 'zod';
import type { OtherNames } from './argument-names.ts';
import type { Tool } from './types.ts';

const input = z.strictObject({
  question: z.string().min(1).max(2000),
  choices: z
    .array(z.string().min(1).max(200))
    .max(8)
    .default([])
    .describe('Answers to choose from; the user may also write one.'),
  multiple: z.boolean().default(false).describe('Several choices may be taken.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  prompt: 'question',
  message: 'question',
  options: 'choices',
  answers: 'choices',
  multi_select: 'multiple',
  allow_multiple: 'multiple',
};
type Input = z.infer<typeof input>;

export function askUserTool(): Tool<Input> {
  return {
    name: 'ask_user',
    description:
      'Asks the user a question and waits for the answer. Use it when a decision is theirs to take, not for what can be found out.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'barrier',
    subject: ({ question }) => ({ verb: 'ask', object: question }),
    permission: async () => undefined,
    question: ({ question, choices, multiple }) => ({
      text: question,
      choices: choices.map((label, index) => ({ id: idOf(index), label })),
      multiple: multiple && choices.length > 0,
      freeText: true,
    }),
    async run({ choices }, { answer }) {
      const answers = typeof answer === 'string' ? [answer] : (answer ?? []);
      if (answers.length === 0) {
        return {
          status: 'success',
          text: 'The user did not answer. Go on with your own judgement, and say what you assumed.',
          detail: 'no answer',
        };
      }
      const words = answers.map((one) => choices.find((_, index) => idOf(index) === one) ?? one);
      return {
        status: 'success',
        text: `The user answered: ${words.join('; ')}`,
        detail: words.join('; ').slice(0, 80),
      };
    },
  };
}

function idOf(index: number): string {
  return `choice-${index + 1}`;
}

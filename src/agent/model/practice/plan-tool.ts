import { call, lastDone, type Scenario } from './move.ts';

/** Asks one question and answers with a short plan. */
export const planTool: Scenario = (rehearsal) => {
  const answer = lastDone(rehearsal, 'ask_user');
  if (answer === undefined) {
    const choices = ['Rename many files', 'Count words in files', 'Watch a folder'];
    return { say: 'One question first.', calls: [call('ask_user', { question: 'What should the tool do?', choices })] };
  }
  const words = answer.text.replace('The user answered:', '').trim();
  if (answer.isError || /did not answer/.test(words))
    return { say: 'Without an answer I have nothing to plan. Ask again whenever you like.' };
  return {
    say: [
      `You answered: “${words}”. A plan for it:`,
      [
        '1. One file that reads the arguments and prints help.',
        '2. One function that does the work, without printing.',
        '3. A test for that function.',
        '4. The printing, last.',
      ].join('\n'),
      'A real model would now write it with you. I only know this plan.',
    ].join('\n\n'),
  };
};

import { call, codeBlock, excerpt, lastDone, type Scenario } from './move.ts';

/** Finds TODO and FIXME notes in any folder. */
export const findNotes: Scenario = (rehearsal) => {
  const found = lastDone(rehearsal, 'search_files');
  if (found === undefined) {
    return { say: 'I search the files for them.', calls: [call('search_files', { pattern: '\\b(TODO|FIXME)\\b' })] };
  }
  return {
    say: `The search says:\n\n${codeBlock(excerpt(found.text, 30))}\n\nA real model would now read each place and say what it takes.`,
  };
};

import type { DoneCall } from './history.ts';
import { call, codeBlock, excerpt, fileText, hasRead, lastDone, type Scenario } from './move.ts';

const FILE = 'src/format.ts';
const MISTAKE = 'const euros: number =';
const MENDED = 'const euros =';

/** Reads what the editor underlines, and mends the one mistake of the sample. */
export const clearProblems: Scenario = (rehearsal) => {
  const listed = lastDone(rehearsal, 'list_files');
  if (listed === undefined) {
    return { say: 'I look at what is here.', calls: [call('list_files', { depth: 2 })] };
  }
  const isSample = listed.text.includes('format.ts') && rehearsal.tools.has('patch');
  const checks = rehearsal.done.filter((done) => done.name === 'diagnostics');
  const [first] = checks;
  if (first === undefined) {
    return {
      say: 'I ask the editor for its problems.',
      calls: [call('diagnostics', isSample ? { paths: [FILE] } : {})],
    };
  }
  if (!isSample) return { say: told(first) };

  const file = hasRead(rehearsal, FILE);
  if (file === undefined) {
    return { say: `${told(first)}\n\nI read the file.`, calls: [call('read_file', { path: FILE })] };
  }
  const patched = lastDone(rehearsal, 'patch');
  if (patched === undefined) {
    if (!fileText(file).includes(MISTAKE)) return { say: 'The mistake that my script knows is mended already.' };
    return {
      say: '`toFixed` gives text, but `euros` is declared a number. It is only put into text, so the declaration is what is wrong.',
      calls: [call('patch', { path: FILE, old_string: MISTAKE, new_string: MENDED })],
    };
  }
  if (patched.isError) return { say: `The edit was not made: ${excerpt(patched.text, 3)}\n\nThe file is as it was.` };
  if (checks.length < 2) return { say: 'I ask the editor again.', calls: [call('diagnostics', { paths: [FILE] })] };
  return { say: `Done: \`formatPrice\` has its type right. ${told(checks.at(-1) ?? first)}` };
};

function told({ text }: DoneCall): string {
  return `The editor says:\n\n${codeBlock(excerpt(text, 12))}`;
}

import type { DoneCall, Rehearsal } from './history.ts';
import { call, codeBlock, excerpt, fileText, hasRead, lastDone, type Move, type Scenario, wishes } from './move.ts';

const CODE = 'src/cart.js';
const TEST = 'test/cart.test.js';
const RUN_TESTS = 'node --test';

const MISTAKE = 'sum += line.price;';
const PLAIN = 'sum += line.price * line.quantity;';
const LOOP = (line: string) => `  let sum = 0;\n  for (const line of lines) {\n    ${line}\n  }\n  return sum;`;
const REDUCE = '  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);';

/** Runs the tests, reads, changes `total()`, and checks; `reduce` when a steer asks for it. */
export const fixTest: Scenario = (rehearsal) => {
  const listed = lastDone(rehearsal, 'list_files');
  if (listed === undefined) {
    return { say: 'First I look at what is here.', calls: [call('list_files', { depth: 2 })] };
  }
  if (!listed.text.includes('cart.js')) return otherFolder(rehearsal, listed);
  const code = hasRead(rehearsal, CODE);
  if (code === undefined) {
    return {
      say: 'A cart and its tests. I read both.',
      calls: [call('read_file', { path: CODE }), call('read_file', { path: TEST })],
    };
  }
  return mend(rehearsal, code);
};

function mend(rehearsal: Rehearsal, code: DoneCall): Move {
  const before = runsBefore(rehearsal);
  if (before === 0 && mayRun(rehearsal)) {
    return { say: 'Now I run the tests, to see them fail before I touch anything.', calls: [runTests()] };
  }
  const refused = rehearsal.done.findLast((done) => done.name === 'patch')?.isError === true;
  if (refused) return { say: notChanged(rehearsal) };

  const wanted = wishes(rehearsal).includes('reduce') ? 'reduce' : 'plain';
  const text = currentText(rehearsal, code);
  const edit = editFor(text, wanted);
  if (edit !== undefined) return { say: edit.why, calls: [call('patch', { path: CODE, ...edit.input })] };
  if (!text.includes('* line.quantity'))
    return { say: 'The code is not what my script expects, so I leave it as it is.' };

  const changedAt = rehearsal.done.findLastIndex((done) => done.name === 'patch');
  const since = rehearsal.done.slice(changedAt + 1);
  if (changedAt >= 0 && mayRun(rehearsal) && !since.some(isTestRun)) {
    return { say: 'The edit is in. I run the tests again.', calls: [runTests()] };
  }
  if (changedAt >= 0 && rehearsal.tools.has('diagnostics') && !since.some((done) => done.name === 'diagnostics')) {
    return {
      say: 'And I ask the editor whether it sees new problems.',
      calls: [call('diagnostics', { paths: [CODE] })],
    };
  }
  return {
    say: changedAt < 0 ? 'The mistake is already mended: `total()` counts the quantity.' : summary(since, wanted),
  };
}

function editFor(text: string, wanted: 'plain' | 'reduce') {
  if (wanted === 'reduce') {
    const loop = [LOOP(MISTAKE), LOOP(PLAIN)].find((candidate) => text.includes(candidate));
    if (loop === undefined) return undefined;
    const why = 'As you asked, with `reduce`: one expression that multiplies each price by its quantity.';
    return { why, input: { old_string: loop, new_string: REDUCE } };
  }
  if (!text.includes(MISTAKE)) return undefined;
  const why = 'Found it: `total()` adds the price of each line once and ignores `quantity`. I change that one line.';
  return { why, input: { old_string: MISTAKE, new_string: PLAIN } };
}

/** The file as it was read, with every edit since. */
function currentText(rehearsal: Rehearsal, code: DoneCall): string {
  const edits = rehearsal.done
    .slice(rehearsal.done.indexOf(code) + 1)
    .filter((done) => done.name === 'patch' && !done.isError);
  return edits.reduce(
    (text, { input }) => text.replace(String(input.old_string), () => String(input.new_string)),
    fileText(code),
  );
}

function summary(since: readonly DoneCall[], wanted: 'plain' | 'reduce'): string {
  const run = since.findLast(isTestRun);
  const tests =
    run === undefined
      ? 'I did not run the tests, as you wished.'
      : run.isError || !passes(run.text)
        ? `The test run did not come out clean:\n\n${codeBlock(excerpt(run.text, 12))}`
        : 'All tests pass.';
  const how = wanted === 'reduce' ? 'with `reduce`' : 'in its loop';
  return `Done: \`total()\` multiplies by the quantity, ${how}. ${tests} The card of the edit opens the diff.`;
}

function notChanged(rehearsal: Rehearsal): string {
  const reason = lastDone(rehearsal, 'patch')?.text ?? '';
  return `The edit was not made: ${excerpt(reason, 3)}\n\nSo the file is as it was. Send the task again when you want me to try once more.`;
}

function otherFolder(rehearsal: Rehearsal, listed: DoneCall): Move {
  const tests = lastDone(rehearsal, 'terminal');
  const runs = /package\.json/.test(listed.text) && mayRun(rehearsal);
  if (tests === undefined && runs) {
    return {
      say: 'This is not my sample folder, but I can run its tests.',
      calls: [call('terminal', { command: 'npm test' })],
    };
  }
  const said = tests === undefined ? '' : ` The test run said:\n\n${codeBlock(excerpt(tests.text, 15))}`;
  return {
    say: `This folder is not the sample that I have a script for, so I change nothing here.${said}\n\n*Midcourse: Start Practice* opens the sample; a real model mends any project.`,
  };
}

function runTests() {
  return call('terminal', { command: RUN_TESTS });
}

function runsBefore(rehearsal: Rehearsal): number {
  return rehearsal.done.filter(isTestRun).length;
}

function isTestRun(done: DoneCall): boolean {
  return done.name === 'terminal' && done.input.command === RUN_TESTS;
}

/** False once somebody said to leave the tests alone. */
function mayRun(rehearsal: Rehearsal): boolean {
  if (!rehearsal.tools.has('terminal')) return false;
  return !/(don'?t|do not|without|skip|never)\b[^.\n]*\b(test|run)/.test(wishes(rehearsal));
}

function passes(output: string): boolean {
  return /\bfail 0\b/.test(output) || !/\bfail [1-9]|not ok|✖/.test(output);
}

import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createBuiltinTools } from '../../../src/agent/tools/index.ts';
import type { CallVerb, ToolCallState } from '../../../src/api.ts';
import { callVerbs } from '../../../src/words/call-verbs.ts';
import { callWords, waitWords } from '../../../src/words/call-words.ts';

const notYet: readonly ToolCallState[] = ['announced', 'waiting', 'approval'];
const now: readonly ToolCallState[] = ['question', 'running', 'yielded'];
const never: readonly ToolCallState[] = ['denied', 'blocked', 'withdrawn', 'not_run'];
const cut: readonly ToolCallState[] = ['stopped', 'timeout', 'abandoned'];

const words = (verb: CallVerb, state: ToolCallState, ran?: true) =>
  callWords({ verb, object: 'X', ...(ran && { ran }) }, state);

describe('the words of a call', () => {
  it('J5a. say that it was done only where it was, for every verb and state', () => {
    for (const verb of callVerbs) {
      const done = words(verb, 'success');
      for (const state of [...notYet, ...now, ...never, ...cut, 'error'] as const) {
        assert.notEqual(words(verb, state), done, `${verb} ${state}`);
        assert.ok(
          !words(verb, state).startsWith(done.replace(/:? ?X$/, ' ')),
          `${verb} ${state}: ${words(verb, state)}`,
        );
      }
      for (const state of never) assert.match(words(verb, state), /\b[Nn]ot\b/, `${verb} ${state}`);
      for (const state of cut)
        assert.match(words(verb, state), /^(?:Did not finish|Got no answer)/, `${verb} ${state}`);
      for (const state of now) assert.match(words(verb, state), /^\w+ing\b/, `${verb} ${state}`);
      assert.match(words(verb, 'error'), /^Could not/, verb);
      assert.equal(words(verb, 'error', true), done, 'a command that failed has run');
    }
  });

  it('J5b. are a plain sentence in each state', () => {
    const run = (state: ToolCallState) => callWords({ verb: 'run', object: 'rm -rf build' }, state);
    assert.deepEqual((['approval', 'running', 'success', 'error', 'denied', 'stopped'] as const).map(run), [
      'Run rm -rf build',
      'Running rm -rf build',
      'Ran rm -rf build',
      'Could not run rm -rf build',
      'Not run: rm -rf build',
      'Did not finish running rm -rf build',
    ]);
    assert.equal(callWords({ verb: 'use', object: 'say', where: 'echo' }, 'denied'), 'Not used: say of echo');
    assert.equal(callWords({ verb: 'search', object: '"x"', where: 'src' }, 'success'), 'Searched for "x" in src');
    assert.equal(callWords({ verb: 'check', object: '' }, 'running'), 'Checking for problems');
    assert.equal(callWords({ verb: 'run', object: '' }, 'denied'), 'Not run');
    assert.equal(waitWords({ verb: 'run', object: 'npm test' }), 'npm test');
    assert.equal(waitWords({ verb: 'read', object: 'a.ts' }), 'reading a.ts');
  });

  it('J5c. keep what is said of it as it is, also where it looks like a place for a value', () => {
    assert.equal(callWords({ verb: 'run', object: 'echo {0} {1} $&:' }, 'success'), 'Ran echo {0} {1} $&:');
    assert.equal(callWords({ verb: 'read', object: 'a:' }, 'denied'), 'Not read: a:');
  });

  it('J5d. of every built-in tool come from a verb of the table', () => {
    const inputs: Readonly<Record<string, object>> = {
      read_file: { path: 'a' },
      list_files: {},
      search_files: { pattern: 'x' },
      write_file: { path: 'a', content: '' },
      patch: { path: 'a', old_string: 'a', new_string: 'b' },
      terminal: { command: 'ls' },
      process: { action: 'list' },
      diagnostics: {},
      ask_user: { question: 'Which?' },
      todo: {},
      delegate: { name: 'a', task: 'b' },
    };
    for (const tool of createBuiltinTools()) {
      assert.ok(callVerbs.includes(tool.subject(tool.input.parse(inputs[tool.name])).verb), tool.name);
    }
  });
});

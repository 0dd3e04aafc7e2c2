import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createBuiltinTools } from '../../../src/agent/tools/index.ts';
import { scenes } from '../../../webview/dev/scenes.ts';
import { answer } from '../../../webview/dev/script.ts';
import { callSubject, fieldsRead } from '../../../webview/state/call-label.ts';

const tools = createBuiltinTools();
/** One valid input a tool, with every field that the page reads. */
const inputs: Readonly<Record<keyof typeof fieldsRead, object>> = {
  read_file: { path: 'src/a.ts' },
  list_files: { path: 'src' },
  search_files: { pattern: 'total(', path: 'src', target: 'files' },
  write_file: { path: 'src/a.ts', content: 'x' },
  patch: { path: 'src/a.ts', old_string: 'a', new_string: 'b' },
  terminal: { command: 'npm test', background: true },
  process: { action: 'poll', id: 'p1' },
  diagnostics: { paths: ['src/a.ts'] },
  ask_user: { question: 'Which one?' },
  todo: { items: [{ id: '1', content: 'Run the tests', status: 'pending' }] },
  delegate: { name: 'tests', task: 'Run them.', background: false },
};

describe('what the page reads of a call', () => {
  it('J4a. is there in the schema of every built-in tool, by that name', () => {
    assert.deepEqual(Object.keys(fieldsRead).sort(), tools.map(({ name }) => name).sort());
    for (const { name, input } of tools) {
      const fields = Object.keys((input as unknown as { readonly shape: object }).shape);
      for (const field of fieldsRead[name as keyof typeof fieldsRead])
        assert.ok(fields.includes(field), `${name}.${field}`);
    }
  });

  it('J4b. makes of it what the tool itself says', () => {
    for (const tool of tools) {
      const input = inputs[tool.name as keyof typeof inputs];
      assert.deepEqual(callSubject(tool.name, input), tool.subject(tool.input.parse(input)), tool.name);
    }
  });

  it('J4c. of every scene is what the tools would take, and a made-up field fails', () => {
    let calls = 0;
    for (const scene of scenes) {
      for (const message of scene.messages()) {
        if (message.type !== 'snapshot') continue;
        calls += message.rows.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool_call')).length;
      }
    }
    assert.ok(calls > 50, String(calls));
    const made = (name: string, input: object) => () => answer('t1', 1, '', [{ callId: 'x', name, input }]);
    assert.throws(made('todo', { todos: [] }), /todo has no todos|unrecognized/i);
    assert.throws(made('search_files', { query: 'x' }));
    assert.doesNotThrow(made('todo', { items: [] }));
  });
});

import assert from 'node:assert/strict';
import { clineTools } from '../../../src/agent/hooks/dialects/tool-aliases/cline.ts';
import { codexTools } from '../../../src/agent/hooks/dialects/tool-aliases/codex.ts';
import { copilotTools } from '../../../src/agent/hooks/dialects/tool-aliases/copilot.ts';
import { hermesTools } from '../../../src/agent/hooks/dialects/tool-aliases/hermes.ts';
import {
  claudeTools,
  foreignCall,
  ownInput,
  type ToolAliases,
} from '../../../src/agent/hooks/dialects/tool-aliases/index.ts';
import { vscodeTools } from '../../../src/agent/hooks/dialects/tool-aliases/vscode.ts';
import { callOf } from './dialect-reading.ts';

const inputs = {
  terminal: { command: 'ls', cwd: 'sub', timeout: 5, background: true },
  read_file: { path: 'src/a.ts', offset: 3, limit: 10 },
  list_files: { path: 'src', depth: 2 },
  search_files: { pattern: 'x', target: 'content', path: 'src', glob: '*.ts', ignore_case: true },
  write_file: { path: 'a.txt', content: 'one\ntwo' },
  patch: { path: 'a.txt', old_string: 'one', new_string: 'two', replace_all: true },
  delegate: { name: 'scout', task: 'look', background: true },
  ask_user: { question: 'Which?', choices: ['a', 'b'] },
  diagnostics: { paths: ['a.ts'] },
  process: { action: 'list' },
};

const systems: Readonly<Record<string, ToolAliases>> = {
  codex: codexTools,
  vscode: vscodeTools,
  copilot: copilotTools,
  hermes: hermesTools,
};

describe('our tools in the names of other systems', () => {
  for (const [system, aliases] of Object.entries(systems)) {
    it(`come back as they were from a hook of ${system} that changed nothing`, () => {
      for (const [name, input] of Object.entries(inputs)) {
        const payload = callOf(name, input);
        assert.deepEqual(ownInput(aliases, payload, foreignCall(aliases, payload).input), input, name);
      }
    });

    it(`stand whatever the model wrote into a call for ${system}`, () => {
      for (const name of [...Object.keys(aliases), 'mcp__a__b']) {
        for (const input of [undefined, null, [], 'text', { path: 5, items: 'x', paths: {} }]) {
          assert.equal(typeof foreignCall(aliases, callOf(name, input)).name, 'string', name);
        }
      }
    });
  }

  it('are seen in every system where Codex makes the calls: commands, all files of an edit, tools of servers', () => {
    const everywhere = { claude: claudeTools, cline: clineTools, ...systems };
    for (const [system, aliases] of Object.entries(everywhere)) {
      const named = (name: string, input: unknown) => foreignCall(aliases, callOf(name, input));
      assert.equal(named('codex_command', { command: 'ls' }).name, named('terminal', { command: 'ls' }).name, system);
      const edit = JSON.stringify(named('codex_edit', { paths: ['a.ts', 'b.ts'] }).input);
      assert.match(edit, /a\.ts.*b\.ts/, system);
      assert.match(
        JSON.stringify(named('codex_mcp', { server: 's', tool: 't' })),
        /mcp__s__t|"server_name":"s"/,
        system,
      );
    }
  });

  it('cannot be changed where Codex makes the call itself', () => {
    for (const aliases of [codexTools, vscodeTools, copilotTools]) {
      assert.match(
        String(ownInput(aliases, callOf('codex_command', { command: 'ls' }), { command: 'rm' })),
        /Codex itself/,
      );
    }
  });

  it('keep what a hook changed of a list of steps', () => {
    const payload = callOf('todo', { items: [{ id: 'a', content: 'look', status: 'in_progress' }] });
    const { input } = foreignCall(vscodeTools, payload);
    assert.deepEqual(input.todoList, [{ id: 1, title: 'look', status: 'in-progress' }]);
    assert.deepEqual(ownInput(vscodeTools, payload, input), {
      items: [{ id: '1', content: 'look', status: 'in_progress' }],
    });
  });

  it('are told to Cline in its names', () => {
    const edit = foreignCall(clineTools, callOf('patch', inputs.patch));
    assert.equal(edit.name, 'replace_in_file');
    assert.match(String(edit.input.diff), /SEARCH\none\n=+\ntwo/);
    assert.deepEqual(foreignCall(clineTools, callOf('codex_mcp', { server: 's', tool: 't', arguments: { a: 1 } })), {
      name: 'use_mcp_tool',
      input: { server_name: 's', tool_name: 't', arguments: '{"a":1}' },
    });
  });
});

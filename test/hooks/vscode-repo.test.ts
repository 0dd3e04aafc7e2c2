import assert from 'node:assert/strict';
import { foreignCall, isAboutCall } from '../../src/agent/hooks/dialects/tool-aliases/index.ts';
import { vscodeTools } from '../../src/agent/hooks/dialects/tool-aliases/vscode.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import type { Script } from '../model-server/index.ts';
import { Repository } from './repository.ts';

const folder = '.github/hooks';
const answer = (text: string): Script => ({ steps: [{ text }] });

describe('a repository with hooks for VS Code, in the real loop', () => {
  let repository: Repository;
  beforeEach(async () => {
    const files = {
      [`${folder}/policy.json`]: 'vscode',
      [`${folder}/nested.json`]: 'vscode',
      [`${folder}/copilot.json`]: 'copilot',
    } as const;
    repository = await Repository.open('vscode-repo', files, 'anthropic');
  });
  afterEach(async () => {
    await repository.close();
  });

  const toolName = (payload: HookPayload) =>
    isAboutCall(payload) ? foreignCall(vscodeTools, payload).name : undefined;

  function call(command: string) {
    repository.allow(command);
    return { call: { name: 'terminal', input: { command }, id: 'call_1' } };
  }

  async function turn(text: string, ...scripts: Script[]) {
    // Its Stop hook has the agent go on once.
    repository.rig.server.script(...scripts, answer('None.'));
    const { session } = repository;
    const { turnId } = session.send(text);
    const result = await session.settled(turnId);
    await repository.through();
    return result;
  }

  const sent = (index: number) => JSON.stringify(repository.rig.server.requests.at(index)?.body);

  it('fires for a turn and tells what VS Code tells, in its names and shapes', async () => {
    const write = { call: { name: 'write_file', input: { path: 'a.txt', content: 'x' }, id: 'call_2' } };
    const result = await turn('go', { steps: [call('echo hello'), write] }, answer('Done.'));
    assert.deepEqual(
      [...new Set(repository.order(toolName))],
      [
        'SessionStart',
        'UserPromptSubmit',
        'PreToolUse(run_in_terminal)',
        'PostToolUse(run_in_terminal)',
        'postToolUse(run_in_terminal)',
        'PreToolUse(create_file)',
        'PostToolUse(create_file)',
        'postToolUse(create_file)',
        'Stop',
      ],
    );
    const told = repository.told();
    const common = ['timestamp', 'hook_event_name', 'session_id', 'transcript_path', 'cwd'];
    const fieldsOf = (name: string, tool?: string) => {
      const one = told.find(({ hook_event_name, tool_name }) => hook_event_name === name && tool_name === tool);
      return Object.keys(one ?? {}).filter((field) => !common.includes(field));
    };
    for (const fields of told) for (const field of common) assert.equal(typeof fields[field], 'string', field);
    assert.deepEqual(fieldsOf('SessionStart'), ['source']);
    assert.deepEqual(fieldsOf('UserPromptSubmit'), ['prompt']);
    assert.deepEqual(fieldsOf('PreToolUse', 'create_file'), ['tool_name', 'tool_input', 'tool_use_id']);
    assert.deepEqual(fieldsOf('PostToolUse', 'create_file'), [
      'tool_name',
      'tool_input',
      'tool_use_id',
      'tool_response',
    ]);
    const { tool_input } = told.find(({ tool_name }) => tool_name === 'create_file') ?? {};
    assert.deepEqual(tool_input, { filePath: `${repository.rig.folder}/a.txt`, content: 'x' });
    assert.equal(result.finalText, 'None.');
    assert.match(sent(0), /The tests are run with make test\./);
    assert.match(sent(-1), /Say which tests you ran\./);
  });

  it('refuses a call by a script of its own folder, with its own environment', async () => {
    await turn('go', { steps: [call('echo BLOCKME')] }, answer('Fine.'));
    const [result] = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.deepEqual(
      [result?.status, result?.displayText],
      ['blocked', 'Tool execution denied by the PreToolUse hook: not in this repository'],
    );
  });

  it('F22. a matcher of the nested form is honoured, by the names of VS Code and of Claude Code', async () => {
    const write = { call: { name: 'write_file', input: { path: 'a.txt', content: 'x' }, id: 'call_2' } };
    const list = { call: { name: 'list_files', input: {}, id: 'call_3' } };
    await turn('go', { steps: [call('echo hello'), write, list] }, answer('Done.'));
    assert.deepEqual(repository.lines('matched'), ['terminal', 'edit']);
  });

  it('F25. postToolUse alone fires: no other event of its file is needed', async () => {
    await turn('go', { steps: [call('echo hello')] }, answer('Done.'));
    const [told, ...more] = repository.told('copilot.jsonl');
    assert.deepEqual(more, []);
    assert.deepEqual(Object.keys(told ?? {}), ['sessionId', 'timestamp', 'cwd', 'toolName', 'toolArgs', 'toolResult']);
    assert.deepEqual([told?.toolName, told?.toolArgs], ['bash', '{"command":"echo hello"}']);
  });
});

import assert from 'node:assert/strict';
import { rulesOf } from '../../../../src/agent/hooks/dialects/index.ts';
import { commandFor } from '../../../../src/agent/hooks/dialects/vscode/config.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { callOf, command, firstHook, payloadOf, reader, resultOf } from '../dialect-reading.ts';

const vscode = rulesOf('vscode');
const file = (event: string, entry: object) => JSON.stringify({ hooks: { [event]: [entry] } });
const at = (event: string, payload: HookPayload) =>
  reader(vscode, firstHook(vscode, file(event, { type: 'command', command: 'x' })), payload);
const inner = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });
const stop = payloadOf('pre_verify', { attempt: 0, final_response: 'Done.', changed_paths: [] });

describe('hook files of VS Code', () => {
  it('are read flat and nested, with either name of the time limit', () => {
    const flat = firstHook(vscode, file('PreToolUse', { command: 'a', cwd: 'sub', env: { A: '1' }, timeoutSec: 5 }));
    assert.deepEqual(flat.handler, { type: 'command', command: 'a', cwd: 'sub', env: { A: '1' } });
    assert.deepEqual([flat.timeout, flat.place], [5000, 'PreToolUse[0]']);
    const nested = firstHook(vscode, file('PreToolUse', { matcher: 'Bash', hooks: [{ command: 'a' }] }));
    assert.deepEqual([nested.matcher, nested.timeout, nested.place], ['Bash', 30_000, 'PreToolUse[0].hooks[0]']);
  });

  it('have a command for each system', () => {
    const all = { command: 'any', windows: 'win', linux: 'lin', osx: 'mac' };
    assert.deepEqual(commandFor('win32', all), { command: 'win' });
    assert.deepEqual(commandFor('linux', all), { command: 'lin' });
    assert.deepEqual(commandFor('darwin', all), { command: 'mac' });
    assert.deepEqual(commandFor('linux', { command: 'any', windows: 'win' }), { command: 'any' });
    const shells = { bash: 'sh', powershell: 'ps' };
    assert.deepEqual(commandFor('win32', shells), { command: 'ps', shell: 'powershell' });
    assert.deepEqual(commandFor('linux', shells), { command: 'sh', shell: 'bash' });
    assert.equal(commandFor('linux', { windows: 'win' }), undefined);
  });

  it("take the names of Copilot's command line for their own", () => {
    const hook = firstHook(vscode, file('agentStop', { bash: 'x', powershell: 'x' }));
    assert.deepEqual([hook.event, hook.unsupported], ['pre_verify', undefined]);
  });

  it('list what does not run with the reason', () => {
    assert.match(firstHook(vscode, file('sessionEnds', { command: 'x' })).unsupported ?? '', /Is SessionEnd meant\?/);
    assert.match(firstHook(vscode, file('Stop', { type: 'prompt', command: 'x' })).broken ?? '', /not prompt/);
    assert.match(firstHook(vscode, file('Stop', {})).broken ?? '', /no command for/);
    const off = JSON.stringify({ disableAllHooks: true, hooks: { Stop: [{ command: 'x' }] } });
    assert.match(firstHook(vscode, off).broken ?? '', /disableAllHooks/);
  });

  it('match by the names of VS Code and of Claude Code', () => {
    const matches = (matcher: string, payload: HookPayload) =>
      vscode.matches(firstHook(vscode, file('PreToolUse', { matcher, command: 'x' })), payload);
    const edit = callOf('patch', { path: 'a', old_string: 'b', new_string: 'c' });
    assert.equal(matches('replace_string_in_file', edit), true);
    assert.equal(matches('Edit|Write', edit), true);
    assert.equal(matches('run_in_terminal', edit), false);
    assert.equal(matches('.*terminal', command), true);
  });
});

describe('answers of hooks of VS Code', () => {
  it('allow, ask and deny, with the input changed in the names of VS Code', () => {
    const read = at('PreToolUse', callOf('write_file', { path: 'a.txt', content: 'x' }));
    const changed = { filePath: '/project/b.txt', content: 'y' };
    assert.deepEqual(read(inner('PreToolUse', { permissionDecision: 'allow', updatedInput: changed })).answer, {
      permission: { decision: 'allow', reason: 'no reason was given', by: './hook.sh' },
      input: { path: '/project/b.txt', content: 'y' },
    });
    assert.equal(read(inner('PreToolUse', { permissionDecision: 'ask' })).answer.ask?.by, './hook.sh');
    const denied = read(inner('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }));
    assert.match(denied.answer.block?.modelText ?? '', /denied by the PreToolUse hook: no/);
    assert.ok(read({ decision: 'block', reason: 'no' }).answer.block);
  });

  it('about another event have no effect, except a stop for a delegated agent', () => {
    const said = at('PreToolUse', command)(inner('PostToolUse', { permissionDecision: 'deny' }));
    assert.deepEqual(said.answer, {});
    assert.match(said.warnings.join(), /is about PostToolUse/);
  });

  it('have the agent go on from both places', () => {
    const read = at('Stop', stop);
    assert.equal(read(inner('Stop', { decision: 'block', reason: 'inside' })).answer.goOn?.text, 'inside');
    assert.equal(read({ decision: 'block', reason: 'outside' }).answer.goOn?.text, 'outside');
    assert.equal(read('', { exitCode: 2, stderr: 'by code' }).answer.goOn?.text, 'by code');
    assert.deepEqual(read({ continue: true }).answer, {});
    assert.ok(read({ continue: false, stopReason: 'enough' }).answer.stopTurn);
  });

  it('are read with exit code 0 only; 2 refuses where something can be refused', () => {
    const deny = JSON.stringify(inner('PreToolUse', { permissionDecision: 'deny' }));
    assert.match(at('PreToolUse', command)(deny, { exitCode: 1 }).failed ?? '', /exit code 1/);
    assert.equal(at('PreToolUse', command)('', { exitCode: 2, stderr: 'no' }).answer.block?.reason, 'no');
    assert.equal(at('PostToolUse', resultOf())('', { exitCode: 2, stderr: 'bad' }).answer.block?.modelText, 'bad');
    const start = payloadOf('on_session_start', { source: 'startup' });
    assert.deepEqual(at('SessionStart', start)('', { exitCode: 2, stderr: 'no' }).answer, {});
  });

  it('may hold fields that nothing is known of, with a warning', () => {
    assert.match(at('PreToolUse', command)({ colour: 'red' }).warnings.join(), /colour is not known/);
  });
});

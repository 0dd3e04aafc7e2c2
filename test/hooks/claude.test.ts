import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { HookManager, type HookProblem } from '../../src/agent/hooks/index.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import { bash, declared, payload } from '../unit/hooks/claude/payloads.ts';
import { HandlerRig } from '../unit/hooks/handlers/rig.ts';

let rig: HandlerRig;
let manager: HookManager;
let reported: HookProblem[];

beforeEach(async () => {
  rig = await HandlerRig.start();
  reported = [];
  manager = new HookManager({
    log: { debug() {}, info() {}, warn() {}, error() {} },
    clock: {
      now: Date.now,
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    report: (problem) => reported.push(problem),
  });
});
afterEach(async () => {
  await manager.close();
  await rig.close();
});

const denial = (fields: object) => JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });

/** What the loop is told when one hook of an event runs. */
async function ask(event: string, handler: object, of: HookPayload, group: object = {}) {
  const hook = rig.hook(declared(event, handler, group));
  manager.replace('test', [hook]);
  const at = { ...of, cwd: rig.folder } as HookPayload<'pre_tool_call'>;
  const answer = await manager.ask(hook.event as 'pre_tool_call', at, new AbortController().signal);
  return { answer, runs: manager.runs(hook.id), warnings: hook.id };
}

const stop = payload('pre_verify', { attempt: 0, final_response: 'Done.', changed_paths: [] });

describe('reports about hooks of Claude Code', () => {
  it('F6. exit 2 with a deny blocks', async () => {
    const output = denial({ permissionDecision: 'deny', permissionDecisionReason: 'in the JSON' });
    const line = `printf '%s' '${output}'; echo 'on stderr' >&2; exit 2`;
    const { answer } = await ask('PreToolUse', { command: line }, bash('ls'));
    equal(answer.block?.reason, 'on stderr');
  });

  it('F6. exit 2 blocks even where the JSON allows', async () => {
    const line = `printf '%s' '${denial({ permissionDecision: 'allow' })}'; exit 2`;
    const { answer } = await ask('PreToolUse', { command: line }, bash('ls'));
    ok(answer.block);
    equal(answer.permission, undefined);
  });

  it('F7. a deny outside of hookSpecificOutput blocks, with a loud warning', async () => {
    const output = JSON.stringify({ permissionDecision: 'deny', permissionDecisionReason: 'no secrets' });
    const { answer, runs } = await ask('PreToolUse', { command: `printf '%s' '${output}'` }, bash('ls'));
    equal(answer.block?.reason, 'no secrets');
    match(runs[0]?.warnings?.join() ?? '', /permissionDecision stands outside of hookSpecificOutput/);
  });

  it('F7. so does the old decision at the top', async () => {
    const output = JSON.stringify({ decision: 'block', reason: 'no secrets' });
    const { answer } = await ask('PreToolUse', { command: `printf '%s' '${output}'` }, bash('ls'));
    equal(answer.block?.reason, 'no secrets');
  });

  it('F12. a hook that cannot be started is shown, once, and the call goes on', async () => {
    const handler = { command: join(rig.folder, 'missing'), args: [] };
    const { answer, runs } = await ask('PreToolUse', handler, bash('ls'));
    await manager.ask('pre_tool_call', { ...bash('ls'), cwd: rig.folder }, new AbortController().signal);
    deepEqual(answer, {});
    equal(runs[0]?.outcome, 'failed');
    equal(reported.length, 1);
    match(JSON.stringify(reported[0]), /there is no program/);
  });

  it('F12. a path with a space that is not quoted dies with words', async () => {
    await writeFile(join(rig.folder, 'my hook.sh'), 'exit 2', { mode: 0o755 });
    const { runs } = await ask('PreToolUse', { command: `${rig.folder}/my hook.sh` }, bash('ls'));
    match(runs[0]?.problem ?? '', /exit code 127/);
    equal(reported.length, 1);
  });

  it('F12. calls of MCP tools come to the hooks', async () => {
    const of = payload('pre_tool_call', { tool_call_id: 'c', tool_name: 'mcp__memory__create', tool_input: {} });
    const { answer } = await ask('PreToolUse', { command: 'exit 2' }, of, { matcher: 'mcp__memory__.*' });
    ok(answer.block);
  });

  it('F13. an argument pattern in a matcher never matches, and says what to write instead', () => {
    for (const matcher of ['Bash(rm *)', 'Bash(git:*)', 'Edit|Bash(npm *)']) {
      const hook = declared('PreToolUse', {}, { matcher });
      match(hook.warnings.join(), /never fits.*"matcher": "Bash" and "if": "Bash\(/, matcher);
    }
    const hook = rig.hook(declared('PreToolUse', {}, { matcher: 'Bash(rm *)' }));
    equal(hook.matches(bash('rm -r x')), false);
  });

  it('F13. names that no tool has are told as well', () => {
    match(declared('PreToolUse', {}, { matcher: 'bash' }).warnings.join(), /Is Bash meant\?/);
    match(declared('PreToolUse', {}, { matcher: 'terminal' }).warnings.join(), /Is Bash meant\?/);
    match(declared('PreToolUse', {}, { matcher: 'mcp__memory' }).warnings.join(), /mcp__memory__\.\*/);
    match(declared('SessionStart', {}, { matcher: 'fork' }).warnings.join(), /never fits/);
    deepEqual(declared('PreToolUse', {}, { matcher: 'Bash|Edit|WebFetch' }).warnings, []);
    deepEqual(declared('PreToolUse', {}, { matcher: 'mcp__(a|b)__.*' }).warnings, []);
  });

  it('F20. the time of a hook starts with its process, not before', async () => {
    // The transcript that it waits for takes longer than the hook may.
    let given: (path: string) => void = () => undefined;
    const waiting = new Promise<string>((resolve) => {
      given = resolve;
    });
    const surroundings = { transcriptPath: () => waiting, home: rig.folder, folders: [rig.folder] };
    const timeout = 1;
    const hook = rig.hook(declared('PreToolUse', { command: 'exit 2', timeout }), { surroundings });
    manager.replace('test', [hook]);
    const answer = manager.ask('pre_tool_call', { ...bash('ls'), cwd: rig.folder }, new AbortController().signal);
    setTimeout(() => given(''), timeout * 1000 + 50);
    ok((await answer).block);
    equal(manager.runs(hook.id)[0]?.outcome, 'ok');
  });

  it('F33. continue: true says nothing, also at Stop', async () => {
    const { answer, runs } = await ask('Stop', { command: `echo '{"continue": true}'` }, stop);
    deepEqual(answer, {});
    equal(runs[0]?.warnings, undefined);
  });
});

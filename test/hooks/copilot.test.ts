import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialectOfHooksFile, rulesOf } from '../../src/agent/hooks/dialects/index.ts';
import { HookBench } from './hook-bench.ts';

const copilot = rulesOf('copilot');

describe("hooks of Copilot's command line, as real processes", () => {
  let bench: HookBench;
  beforeEach(() => {
    bench = new HookBench();
  });
  afterEach(async () => {
    await bench.close();
  });

  /** A hook of an event that runs this in a shell. */
  function load(event: string, bash: string, more: object = {}) {
    return bench.load(copilot, JSON.stringify({ version: 1, hooks: { [event]: [{ bash, ...more }] } }));
  }

  it('is told in camelCase, with the arguments as the JSON text of the call', async () => {
    load('preToolUse', 'cat >stdin.json');
    await bench.fire('pre_tool_call', bench.call({ command: 'ls -l' }));
    const { timestamp, ...told } = JSON.parse(readFileSync(join(bench.folder, 'stdin.json'), 'utf8'));
    assert.equal(typeof timestamp, 'number');
    assert.deepEqual(told, {
      sessionId: 'session-1',
      cwd: bench.folder,
      toolName: 'bash',
      toolArgs: '{"command":"ls -l"}',
    });
  });

  it('refuses with permissionDecision deny', async () => {
    load('preToolUse', `echo '{"permissionDecision":"deny","permissionDecisionReason":"not here"}'`);
    const { block } = await bench.fire('pre_tool_call', bench.call());
    assert.deepEqual([block?.reason, block?.modelText], ['not here', 'Denied by preToolUse hook: not here']);
  });

  it('refuses with exit code 2 whatever stdout says, and when the hook crashes', async () => {
    load('preToolUse', `echo '{"permissionDecision":"allow"}'; echo because >&2; exit 2`);
    assert.equal((await bench.fire('pre_tool_call', bench.call())).block?.reason, 'because');
    load('preToolUse', 'exit 7');
    const { block } = await bench.fire('pre_tool_call', bench.call());
    assert.equal(block?.modelText, 'Denied by preToolUse hook (hook errored)');
  });

  it('refuses when its answer is too long to be read', async () => {
    load('preToolUse', `printf '{"permissionDecision":"deny","x":"'; yes '{' | head -c 2000000; printf '"}'`);
    const { block } = await bench.fire('pre_tool_call', bench.call());
    assert.match(block?.reason ?? '', /longer than 1 MB/);
  });

  it('lets the call go on when its time is over', async () => {
    load('preToolUse', 'sleep 60', { timeoutSec: 0.2 });
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {});
    assert.equal(bench.runs()[0]?.outcome, 'timeout');
  });

  it('reads its decision beside lines that say how far it is', async () => {
    load(
      'preToolUse',
      `echo '{"type":"progress","message":"Checking"}'; echo '{"permissionDecision":"ask","permissionDecisionReason":"sure?"}'`,
    );
    assert.equal((await bench.fire('pre_tool_call', bench.call())).ask?.reason, 'sure?');
  });

  it('runs for the whole name of a tool only', async () => {
    load('preToolUse', `echo '{"permissionDecision":"deny"}'`, { matcher: 'bas|edit' });
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {});
    load('preToolUse', `echo '{"permissionDecision":"deny"}'`, { matcher: 'bash|edit' });
    assert.ok((await bench.fire('pre_tool_call', bench.call())).block);
  });

  it('is told from a hook file of VS Code by the names of its events', () => {
    const withEvents = (...names: string[]) =>
      dialectOfHooksFile(JSON.stringify({ version: 1, hooks: Object.fromEntries(names.map((name) => [name, []])) }));
    assert.equal(withEvents('postToolUse'), 'copilot');
    assert.equal(withEvents('PostToolUse'), 'vscode');
    assert.equal(withEvents('preToolUse', 'Stop'), 'vscode');
    assert.equal(withEvents(), 'vscode');
  });
});

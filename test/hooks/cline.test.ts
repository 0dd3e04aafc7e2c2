import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooksOfFolder, rulesOf } from '../../src/agent/hooks/dialects/index.ts';
import { HookBench } from './hook-bench.ts';

const cline = { ...rulesOf('cline') };

describe('hooks of Cline, as real files that are executed', () => {
  if (process.platform === 'win32') return;
  let bench: HookBench;
  beforeEach(() => {
    bench = new HookBench();
  });
  afterEach(async () => {
    await bench.close();
  });

  /** A file that is named after its event. */
  function load(event: string, body: string) {
    bench.script(event, `#!/bin/sh\n${body}\n`);
    return bench.load({ ...cline, readConfig: () => hooksOfFolder(bench.folder, [event]) }, '');
  }

  it('is told the call in an object that is named after the event', async () => {
    load('PreToolUse', 'cat >stdin.json');
    await bench.fire('pre_tool_call', bench.call({ path: 'a.txt', content: 'x' }, 'write_file'));
    const { timestamp, clineVersion, userId, ...told } = JSON.parse(
      readFileSync(join(bench.folder, 'stdin.json'), 'utf8'),
    );
    assert.deepEqual(
      [timestamp, clineVersion, userId].map((value) => typeof value),
      ['string', 'string', 'string'],
    );
    assert.deepEqual(told, {
      hookName: 'PreToolUse',
      taskId: 'session-1',
      workspaceRoots: [bench.folder],
      model: { provider: 'openai', slug: 'gpt-5.5' },
      preToolUse: { toolName: 'write_to_file', parameters: { path: 'a.txt', content: 'x' } },
    });
  });

  it('counts a JSON object whatever the exit code, also behind other output', async () => {
    load('PreToolUse', `echo checking; echo '{"cancel":true,"errorMessage":"no js here"}'; exit 1`);
    const { block } = await bench.fire('pre_tool_call', bench.call());
    assert.equal(block?.reason, 'no js here');
  });

  it('lets a call go on when it fails without JSON, and says so', async () => {
    load('PreToolUse', 'echo broken >&2; exit 3');
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {});
    assert.match(bench.problems.join(), /exit code 3: broken/);
  });

  it('gives the model at most 50 KB', async () => {
    load('PostToolUse', `printf '{"cancel":false,"contextModification":"%060000d"}' 0`);
    const payload = bench.payload('post_tool_call', {
      tool_call_id: 'c',
      tool_name: 'terminal',
      tool_input: { command: 'ls' },
      tool_result: 'a',
      status: 'success',
      duration_ms: 5,
    });
    const { context = '' } = await bench.fire('post_tool_call', payload);
    assert.ok(context.length > 0 && context.length < 52_000, `${context.length}`);
    assert.match(bench.runs()[0]?.warnings?.join() ?? '', /50 of 59 KB count/);
  });

  it('floods with what begins like objects, and the window goes on', async () => {
    load('PreToolUse', `yes '{' | head -c 400000`);
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call({ command: 'ls' })), {});
    assert.match(bench.runs()[0]?.warnings?.join() ?? '', /no JSON object/);
  });

  it('cannot cancel a stop', async () => {
    load('TaskCancel', `cat >stdin.json; echo '{"cancel":true}'`);
    const payload = bench.payload('agent_loop_stopped', {
      reason: 'user_stop',
      invalidation_reason: 'stop_button',
      phase: 'model',
      had_partial_text: false,
      open_tool_calls: 0,
    });
    assert.deepEqual(await bench.fire('agent_loop_stopped', payload), {});
    assert.equal(JSON.parse(readFileSync(join(bench.folder, 'stdin.json'), 'utf8')).hookName, 'TaskCancel');
    assert.match(bench.runs()[0]?.warnings?.join() ?? '', /cannot be cancelled/);
  });

  it('lists a file that is named after no event, with the event that is probably meant', () => {
    const { hooks } = hooksOfFolder('/repo/.clinerules/hooks', ['PreToolUs', '.gitkeep', 'TaskStart']);
    assert.deepEqual(
      hooks.map(({ place, event, unsupported }) => [place, event, unsupported?.includes('Is PreToolUse meant?')]),
      [
        ['PreToolUs', undefined, true],
        ['TaskStart', 'on_session_start', undefined],
      ],
    );
  });
});

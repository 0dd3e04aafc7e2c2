import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rulesOf } from '../../src/agent/hooks/dialects/index.ts';
import { isRunning } from '../unit/turn/is-running.ts';
import { HookBench } from './hook-bench.ts';

const hermes = rulesOf('hermes');

/** A hook file with one hook, in YAML that is JSON as well. */
function config(event: string, hook: object): string {
  return JSON.stringify({ hooks: { [event]: [hook] } });
}

describe('shell hooks of Hermes, as real processes', () => {
  let bench: HookBench;
  beforeEach(() => {
    bench = new HookBench();
  });
  afterEach(async () => {
    await bench.close();
  });

  /** A hook of an event that prints this and ends so. */
  function says(event: string, stdout: string, exitCode = 0, more: object = {}) {
    const text = bench.script('answer.txt', stdout);
    const command = bench.script('hook.sh', `#!/bin/sh\ncat >stdin.json\ncat '${text}'\nexit ${exitCode}\n`);
    return bench.load(hermes, config(event, { command, ...more }));
  }

  function stdin(): Record<string, unknown> {
    return JSON.parse(readFileSync(join(bench.folder, 'stdin.json'), 'utf8'));
  }

  const llmCall = () =>
    bench.payload('pre_llm_call', { user_message: 'hi', kind: 'message', item_id: 'i', is_first_turn: true });
  const verify = () =>
    bench.payload('pre_verify', { attempt: 0, final_response: 'Done.', changed_paths: [join(bench.folder, 'a.ts')] });

  it('1. of a canonical block and one in the form of Claude Code, the canonical message counts', async () => {
    says('pre_tool_call', '{"action":"block","message":"canonical","decision":"block","reason":"other"}');
    assert.equal((await bench.fire('pre_tool_call', bench.call())).block?.reason, 'canonical');
  });

  it('2. empty output says nothing', async () => {
    says('pre_tool_call', '', 0, { fail_closed: true });
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {});
    assert.deepEqual(bench.problems, []);
  });

  it('3. output that is no JSON says nothing, with a warning, and the call goes on', async () => {
    says('pre_tool_call', '{"action": "block"');
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {});
    assert.match(bench.runs()[0]?.warnings?.join() ?? '', /no JSON object/);
  });

  it('4. a list or a string in JSON says nothing', async () => {
    for (const text of ['[{"action":"block","message":"no"}]', '"block"']) {
      says('pre_tool_call', text);
      assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {}, text);
    }
  });

  it('6. a block of pre_llm_call is ignored', async () => {
    says('pre_llm_call', '{"decision":"block","reason":"no","context":"but read this"}');
    const { block, context } = await bench.fire('pre_llm_call', llmCall());
    assert.deepEqual({ block, context }, { block: undefined, context: 'but read this' });
  });

  it('7. continue at pre_verify without a message has no effect', async () => {
    says('pre_verify', '{"action":"continue"}');
    assert.deepEqual(await bench.fire('pre_verify', verify()), {});
    says('pre_verify', '{"action":"continue","message":"run the tests"}');
    assert.equal((await bench.fire('pre_verify', verify())).goOn?.text, 'run the tests');
  });

  it('8. arguments that are a list are null on stdin', async () => {
    says('pre_tool_call', '');
    await bench.fire('pre_tool_call', bench.call(['ls']));
    assert.equal(stdin().tool_input, null);
    await bench.fire('pre_tool_call', bench.call({ command: 'ls' }));
    assert.deepEqual(stdin().tool_input, { command: 'ls' });
  });

  it("9. without an id of its own, a session has its parent's", async () => {
    says('pre_tool_call', '');
    await bench.fire('pre_tool_call', { ...bench.call(), session_id: '', parent_session_id: 'parent' });
    assert.equal(stdin().session_id, 'parent');
  });

  it('11. a matcher matches with spaces and line ends round it', async () => {
    says('pre_tool_call', '{"action":"block","message":"no"}', 0, { matcher: ' terminal\n' });
    assert.equal((await bench.fire('pre_tool_call', bench.call())).block?.reason, 'no');
  });

  it('12. a matcher of nothing but spaces is none', async () => {
    says('pre_tool_call', '{"action":"block","message":"no"}', 0, { matcher: ' \n ' });
    assert.equal((await bench.fire('pre_tool_call', bench.call({}, 'read_file'))).block?.reason, 'no');
  });

  it('13. a matcher that is no regular expression is compared as it stands', async () => {
    says('pre_tool_call', '{"action":"block","message":"no"}', 0, { matcher: 'my[tool' });
    assert.equal((await bench.fire('pre_tool_call', bench.call({}, 'my[tool'))).block?.reason, 'no');
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call({}, 'mytool')), {});
  });

  it('14. a hook with a matcher does not run where there is no name of a tool', () => {
    const [hook] = hermes.readConfig(config('pre_tool_call', { command: 'x', matcher: '.*' })).hooks;
    assert.ok(hook);
    assert.equal(hermes.matches(hook, bench.call()), true);
    assert.equal(hermes.matches(hook, llmCall()), false);
  });

  it('16. a matcher of another event is dropped with a warning, and the hook always runs', async () => {
    says('pre_llm_call', '{"context":"here"}', 0, { matcher: 'terminal' });
    assert.match(bench.warnings.join(), /pre_llm_call has no matcher/);
    assert.equal((await bench.fire('pre_llm_call', llmCall())).context, 'here');
  });

  it('17. a hook over its time is ended with its children and says nothing', async () => {
    const command = bench.script(
      'slow.sh',
      '#!/bin/sh\nsleep 60 &\necho $! >child\necho \'{"action":"block","message":"late"}\'\nwait\n',
    );
    bench.load(hermes, config('pre_tool_call', { command, timeout: 1 }));
    assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {});
    assert.equal(bench.runs()[0]?.outcome, 'timeout');
    const child = Number(readFileSync(join(bench.folder, 'child'), 'utf8'));
    await bench.ended();
    assert.equal(isRunning(child), false);
  });

  it('18. exit code 1 with a good block on stdout blocks', async () => {
    says('pre_tool_call', '{"action":"block","message":"still no"}', 1);
    assert.equal((await bench.fire('pre_tool_call', bench.call())).block?.reason, 'still no');
  });

  it('19. exit code 2 without a word blocks with the stock text', async () => {
    says('pre_tool_call', '', 2);
    const { block } = await bench.fire('pre_tool_call', bench.call());
    assert.equal(block?.reason, 'Blocked by a shell hook.');
    assert.equal(block?.modelText, 'Blocked by a shell hook.');
  });

  it('21. a missing file and one that may not be executed are told, and the call goes on; failing closed it is blocked', async () => {
    for (const command of [join(bench.folder, 'missing.sh'), bench.script('plain.sh', '#!/bin/sh\n', 0o644)]) {
      bench.load(hermes, config('pre_tool_call', { command }));
      assert.deepEqual(await bench.fire('pre_tool_call', bench.call()), {}, command);
      assert.equal(bench.problems.splice(0).length, 1, command);

      bench.load(hermes, config('pre_tool_call', { command, fail_closed: true }));
      assert.match((await bench.fire('pre_tool_call', bench.call())).block?.reason ?? '', /started/, command);
    }
  });

  it('22. a path with spaces runs when it is quoted', async () => {
    const path = bench.script('my hook.sh', '#!/bin/sh\necho \'{"action":"block","message":"ran"}\'\n');
    bench.load(hermes, config('pre_tool_call', { command: `'${path}' --flag` }));
    assert.equal((await bench.fire('pre_tool_call', bench.call())).block?.reason, 'ran');
  });

  it('23. a time limit is held between 1 and 300 seconds; what is no number becomes the usual one', () => {
    const timeoutOf = (timeout: unknown) =>
      hermes.readConfig(config('pre_tool_call', { command: 'x', timeout })).hooks[0]?.timeout;
    assert.deepEqual(
      [9999, 'abc', 0, -1, 5, undefined].map(timeoutOf),
      [300_000, 60_000, 60_000, 60_000, 5000, 60_000],
    );
  });

  it('24. an event whose value is no list is left out with a warning, the others load', () => {
    const read = hermes.readConfig('hooks:\n  pre_tool_call: ./check.sh\n  post_tool_call:\n    - command: ./log.sh\n');
    assert.deepEqual(
      read.hooks.map(({ declaredAs }) => declaredAs),
      ['post_tool_call'],
    );
    assert.match(read.warnings.join(), /pre_tool_call is no list/);
  });

  it('26. one command with two matchers is two hooks', async () => {
    const command = bench.script('hook.sh', '#!/bin/sh\necho run >>runs\n');
    const hooks = ['terminal', 'read_file', 'terminal'].map((matcher) => ({ command, matcher }));
    const read = bench.load(hermes, JSON.stringify({ hooks: { pre_tool_call: hooks } }));
    assert.deepEqual(
      read.hooks.map(({ matcher }) => matcher),
      ['terminal', 'read_file'],
    );
    await bench.fire('pre_tool_call', bench.call());
    await bench.fire('pre_tool_call', bench.call({ path: 'a' }, 'read_file'));
    assert.equal(readFileSync(join(bench.folder, 'runs'), 'utf8'), 'run\nrun\n');
    rmSync(join(bench.folder, 'runs'));
  });
});

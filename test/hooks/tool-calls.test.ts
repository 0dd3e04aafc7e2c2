import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HookAnswer } from '../../src/agent/hooks/index.ts';
import type { HookEvent, HookOutcome, HookPayload } from '../../src/api.ts';
import { allowAll, call, event, replay, sent, statuses } from '../reports/replay.ts';
import { AgentsRig, delegate } from '../unit/children/agents-rig.ts';

const command = (line: string, more: object = {}) => call('terminal', { command: line, ...more });

describe('hooks: tool calls', () => {
  const at = replay('openai-chat');
  const fired = (name: HookEvent) => at().rig.fired.filter((one) => one.event === name);
  const results = () =>
    fired('post_tool_call').map(({ payload }) => [payload.tool_name, payload.status, payload.error_type]);
  const card = () =>
    at()
      .session.rows()
      .findLast(({ role }) => role === 'tool')?.card;
  const before = (answer: HookOutcome) => at().rig.hooks.set('pre_tool_call', () => answer);

  /** A hook of a file. */
  function file(name: HookEvent, answer: HookAnswer | ((payload: HookPayload) => Promise<HookAnswer>)): void {
    const run = async (payload: HookPayload) => ({
      answer: typeof answer === 'function' ? await answer(payload) : answer,
    });
    at().rig.hooks.register({ event: name, name: 'guard', run });
  }

  async function play(...steps: readonly ReturnType<typeof call>[]): Promise<void> {
    const { rig, session } = at();
    rig.server.script({ steps: [...steps] });
    session.send('Go');
    await session.settled();
  }

  for (const how of ['a message', 'a steer', 'a queue entry', 'a retry'] as const) {
    it(`F5. a hook refuses the calls of a turn that ${how} started, as of any other`, async () => {
      const { rig, session } = at();
      before({ block: 'not on Fridays' });
      if (how === 'a retry') {
        session.send('Go');
        await session.settled();
      }
      rig.server.script({ steps: [command('touch made')] });
      if (how === 'a message') session.send('Go');
      else if (how === 'a steer') session.steer('Go');
      else if (how === 'a queue entry') session.queue('Go');
      else session.retry();
      await session.settled();
      assert.deepEqual(statuses(session), ['blocked']);
      assert.deepEqual(card()?.blockedBy, { hook: 'rig', reason: 'not on Fridays' });
      assert.equal(existsSync(join(rig.folder, 'made')), false);
    });
  }

  it('F16. hooks count where no chat is shown', async () => {
    const { rig, session } = at();
    assert.equal(rig.shown.size, 0);
    before({ block: 'no' });
    await play(command('touch made'));
    assert.deepEqual(results(), []);
    assert.deepEqual(statuses(session), ['blocked']);
  });

  it('F17. a command in the background, a tool of an extension and a misspelt name all pass the hook', async () => {
    const { rig, session } = at();
    rig.registry.register({
      name: 'deploy',
      description: 'Deploys.',
      inputSchema: { type: 'object' },
      invoke: async () => 'deployed',
    });
    before({ block: 'no' });
    rig.hooks.set('post_tool_call', () => ({}));
    await play(
      command('touch made', { background: true }),
      call('deploy', {}),
      call('Write-File', { path: 'a', content: '' }),
    );
    assert.deepEqual(
      fired('pre_tool_call').map(({ payload }) => payload.tool_name),
      ['terminal', 'deploy', 'write_file'],
    );
    assert.deepEqual(results(), [
      ['terminal', 'blocked', 'hook'],
      ['deploy', 'blocked', 'hook'],
      ['write_file', 'blocked', 'hook'],
    ]);
    assert.deepEqual([session.processes(), existsSync(join(rig.folder, 'made'))], [[], false]);
  });

  it('F17. a call of a delegated agent passes the hook with the ids of its parent', async () => {
    const agents = await AgentsRig.start('openai-chat');
    agents.rig.hooks.set('pre_tool_call', ({ tool_name }) => (tool_name === 'delegate' ? {} : { block: 'no' }));
    for (const name of ['subagent_start', 'subagent_stop', 'pre_verify'] as const)
      agents.rig.hooks.set(name, () => ({}));
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [command('touch made')] });
    agents.session.send('Go');
    await agents.session.settled();
    const { id } = agents.child('a');
    const own = agents.rig.fired.find(({ payload }) => payload.session_id === id)?.payload;
    assert.deepEqual([own?.parent_session_id, own?.agent_id, own?.tool_name], [agents.session.id, id, 'terminal']);
    const [start, stop] = agents.rig.fired.filter((one) => one.event.startsWith('subagent'));
    assert.deepEqual([start?.payload.child_goal, start?.payload.session_id], ['Task a', agents.session.id]);
    assert.deepEqual([stop?.payload.child_status, stop?.payload.child_session_id], ['completed', id]);
    assert.equal(agents.rig.fired.filter((one) => one.event.startsWith('subagent')).length, 2);
    await agents.close();
  });

  it('a hook that asks opens a card although a rule allows the call, once or not at all', async () => {
    const { rig, session } = at();
    file('pre_tool_call', { ask: { reason: 'it is late', by: 'guard' } });
    rig.server.script({ steps: [call('list_files', {})] });
    session.send('Go');
    const { id } = await event(session, 'approval.opened');
    const [approval] = session.approvals();
    assert.match(approval?.why ?? '', /hook guard .*it is late/);
    assert.deepEqual(approval?.choices, ['once', 'deny']);
    session.answer(id, 'once');
    await session.settled();
    assert.deepEqual(statuses(session), ['success']);
  });

  it('a hook that changes the arguments: the card asks for the new ones, they run, and the model is told', async () => {
    const { rig, session } = at();
    before({ input: { command: 'touch changed' } });
    rig.server.script({ steps: [command('touch made')] });
    session.send('Go');
    const { id } = await event(session, 'approval.opened');
    assert.deepEqual(
      [session.approvals()[0]?.command, /rig changed this call/.test(session.approvals()[0]?.why ?? '')],
      ['touch changed', true],
    );
    session.answer(id, 'once');
    await session.settled();
    assert.deepEqual(
      ['made', 'changed'].map((name) => existsSync(join(rig.folder, name))),
      [false, true],
    );
    assert.deepEqual([card()?.changedBy, card()?.label], ['rig', 'Ran touch changed']);
    assert.match(sent(rig, 1), /hook rig changed the arguments of this call to/);
  });

  it('arguments that a hook made wrong run nothing, and the result names the hook', async () => {
    before({ input: { command: 7 } });
    await play(command('touch made'));
    assert.deepEqual(statuses(at().session), ['error']);
    assert.match(sent(at().rig, 1), /The hook rig changed the arguments of terminal, and they are wrong now/);
  });

  it('what a hook allows needs no card, unless it is destructive', async () => {
    const { rig, session } = at();
    file('pre_tool_call', { permission: { decision: 'allow', reason: '', by: 'guard' } });
    await play(command('touch made'));
    assert.equal(existsSync(join(rig.folder, 'made')), true);
    rig.server.script({ steps: [command('rm -rf made')] });
    session.send('Again');
    const { id } = await event(session, 'approval.opened');
    session.answer(id, 'deny');
    await session.settled();
    assert.deepEqual(statuses(session), ['success', 'denied']);
  });

  it('a hook that allows does not beat another that refuses', async () => {
    file('pre_tool_call', { permission: { decision: 'allow', reason: '', by: 'guard' } });
    before({ block: 'no' });
    await play(command('touch made'));
    assert.deepEqual(statuses(at().session), ['blocked']);
  });

  it('a hook of the permission decides before the card opens, and is named as who decided', async () => {
    const { session } = at();
    at().rig.hooks.set('post_approval_response', () => ({}));
    let decision: 'allow' | 'deny' = 'allow';
    file('pre_approval_request', async () => ({ permission: { decision, reason: 'by policy', by: 'guard' } }));
    await play(command('touch made'));
    decision = 'deny';
    await play(command('touch more'));
    assert.deepEqual(statuses(session), ['success', 'blocked']);
    assert.equal(
      session.events(0).some(({ type }) => type === 'approval.opened'),
      false,
    );
    assert.deepEqual(
      fired('post_approval_response').map(({ payload }) => [payload.choice, payload.decided_by]),
      [
        ['once', 'guard'],
        ['deny', 'guard'],
      ],
    );
  });

  it('each card is told once as it opens and once as it closes, also when a stop closes it', async () => {
    const { rig, session } = at();
    for (const name of ['pre_approval_request', 'post_approval_response', 'notification'] as const) {
      rig.hooks.set(name, () => ({}));
    }
    rig.server.script({ steps: [command('touch made')] });
    session.send('Go');
    const { id } = await event(session, 'approval.opened');
    session.answer(id, 'once', undefined, 'api');
    await session.settled();
    rig.server.script({ steps: [command('touch more')] });
    const since = session.seq;
    session.send('Again');
    await event(session, 'approval.opened', () => true, since);
    session.stop();
    await session.settled();
    assert.equal(fired('pre_approval_request').length, 2);
    assert.deepEqual(
      fired('post_approval_response').map(({ payload }) => [payload.choice, payload.decided_by]),
      [
        ['once', 'api'],
        ['cancelled', 'user'],
      ],
    );
    assert.deepEqual(
      fired('notification').map(({ payload }) => payload.notification_type),
      ['permission_prompt', 'agent_completed', 'permission_prompt'],
    );
  });

  it('every call is told once with how it ended, whether it ran or not', async () => {
    const { rig, session } = at();
    rig.hooks.set('post_tool_call', () => ({}));
    rig.hooks.set('post_tool_batch', () => ({}));
    session.onDidEmit((seen) => {
      if (seen.type !== 'approval.opened') return;
      session.answer(seen.id, session.approvals()[0]?.command === 'echo no' ? 'deny' : 'once');
    });
    await play(
      command('echo hello'),
      command('exit 3'),
      command('echo no'),
      call('read_file', { path: 'missing' }),
      command('sleep 60', { timeout: 0.2 }),
    );
    assert.deepEqual(results(), [
      ['terminal', 'success', undefined],
      ['terminal', 'error', 'exit_code'],
      ['terminal', 'blocked', 'denied'],
      ['read_file', 'error', 'tool'],
      ['terminal', 'timeout', 'timeout'],
    ]);
    const [first] = fired('post_tool_call');
    const facts = first?.payload.tool_facts as Record<string, unknown>;
    assert.deepEqual([facts.command, facts.exit_code, facts.output], ['echo hello', 0, 'hello\n']);
    assert.deepEqual(
      fired('post_tool_batch').map(({ payload }) => (payload.tool_calls as readonly unknown[]).length),
      [5],
    );
  });

  it('a hook of a result adds words, replaces them or objects; people see the result as it was', async () => {
    const { rig, session } = at();
    allowAll(session);
    const answers: HookAnswer[] = [
      { context: 'Mind the linter.' },
      { replace: 'REPLACED' },
      { block: { reason: 'no tests', by: 'guard', modelText: 'guard: there are no tests' } },
    ];
    file('post_tool_call', async () => answers.shift() ?? {});
    for (const line of ['echo one', 'echo two', 'echo three']) await play(command(line));
    assert.match(sent(rig, 1), /one\\n.*\[Context added by the hook guard\]\\nMind the linter\./);
    assert.match(sent(rig, 3), /REPLACED/);
    assert.doesNotMatch(sent(rig, 3), /"two\\n/);
    assert.match(sent(rig, 5), /three\\n.*guard: there are no tests/);
    assert.deepEqual(statuses(session), ['success', 'success', 'success']);
    assert.match(session.rows().find(({ card: shown }) => shown?.label === 'Ran echo two')?.displayText ?? '', /^two/);
  });

  it('the output of a command and the text of a result can be replaced, in this order', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.hooks.set('transform_terminal_output', ({ output }) => String(output).toUpperCase());
    rig.hooks.set('transform_tool_result', ({ tool_result }) => `${tool_result}!`);
    await play(command('echo quiet'));
    assert.match(sent(rig, 1), /QUIET\\n\[exit 0\]!/);
  });

  it('a stop does not wait for the hook of a result: the real result counts', async () => {
    const { rig, session } = at();
    allowAll(session);
    file('post_tool_call', () => new Promise(() => {}));
    rig.server.script({ steps: [command('echo hello')] });
    session.send('Go');
    await event(session, 'state', ({ phase, label }) => phase === 'hook' && label === 'guard');
    session.stop();
    await session.settled();
    assert.deepEqual([statuses(session), fired('post_tool_call').length], [['success'], 1]);
  });

  it('a hook can end the turn: nothing is asked or run after it, and the hook is named', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.hooks.set('agent_loop_stopped', () => ({}));
    file('post_tool_call', { stopTurn: { reason: 'enough', by: 'guard' } });
    await play(command('echo hello'));
    const result = await session.settled();
    assert.deepEqual([result.exitReason, rig.server.requests.length], ['interrupted_by_system(hook)', 1]);
    assert.match(result.error?.message ?? '', /hook guard stopped the turn: enough/);
    assert.deepEqual([statuses(session), fired('agent_loop_stopped')[0]?.payload.reason], [['success'], 'hook']);
  });
});

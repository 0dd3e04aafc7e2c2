/** What a user, or a window by itself, may do next. */

import { isDeepStrictEqual } from 'node:util';
import type { HookEvent, Item, Receipt } from '../../../src/api.ts';
import type { Add } from './actions.ts';
import { IMAGE } from './book.ts';
import type { World } from './world.ts';

const DOUBLE_CLICK = 100;

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

const HOOKS: readonly HookEvent[] = [
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'pre_verify',
  'post_llm_call',
  'on_session_end',
  'agent_loop_stopped',
];

/** Before the first text only: the world that a schedule plays in. */
export function settings(world: World, add: Add): void {
  if (world.used.size > 0) return;
  for (const event of HOOKS) {
    if (!world.hooks.has(event)) add(`a hook for ${event}`, () => world.hooks.add(event));
  }
  const set = (label: string, change: Partial<World['settings']>) =>
    add(label, () => {
      world.settings = { ...world.settings, ...change };
      world.host.session.settingsChanged();
    });
  set('sending redirects', { busyInput: 'redirect' });
  set('sending queues', { busyInput: 'queue' });
  set('a stop returns the queue', { queueOnStop: 'return' });
  set('two requests a turn', { stepBudget: 2 });
  set('one attempt', { maxAttempts: 1 });
  set('interrupted turns go on', { resume: 'auto' });
  set('liveness after 20 s', { livenessTimeout: 20_000 });
  set('tools are off', { toolsOff: 'Tools are off here.' });
  add('a small window', () => {
    world.settings = { ...world.settings, compactionThreshold: 50 };
    world.window = 700;
    world.host.model.window = world.window;
  });
  add('a slow model look-up', () => {
    world.slowModel = true;
    world.host.model.slow = true;
  });
}

export function texts(world: World, add: Add): void {
  const { session } = world.host;
  const fresh = IDS.find((id) => !world.used.has(id));
  const send = (id: string, verb: 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend', extra: object = {}) => {
    world.used.add(id);
    const receipt = tell(world, () => session.submit(verb, `text ${id}`, 'view', { id, ...extra }));
    if (receipt && receipt.outcome !== 'refused') world.receipts.set(id, receipt);
  };
  if (fresh !== undefined) {
    add(`send ${fresh}`, () => send(fresh, 'send'));
    add(`steer ${fresh}`, () => send(fresh, 'steer'));
    add(`redirect ${fresh}`, () => send(fresh, 'redirect'));
    add(`queue ${fresh}`, () => send(fresh, 'queue'));
    add(`stop and send ${fresh}`, () => send(fresh, 'stopAndSend'));
    add(`steer ${fresh} with an image`, () => send(fresh, 'steer', { images: [IMAGE] }));
    add('send a blank', () => tell(world, () => session.submit('send', ' ', 'view')));
  }
  const used = IDS.findLast((id) => world.used.has(id));
  if (used !== undefined) add(`repeat ${used}`, () => repeat(world, used));
  if (world.settings.resume === 'auto') add('resume by itself', () => resume(world));
  add('compact', () => {
    if (session.compact() && world.host.alive) world.witness.userCompacts();
  });
  if (session.state === 'idle') add('retry', () => tell(world, () => session.retry()));
}

/** A repeated id is accepted once: the first receipt comes again, and nothing changes. */
function repeat(world: World, id: string): void {
  const { session } = world.host;
  const { witness } = world;
  const first = world.receipts.get(id);
  const known = first !== undefined || witness.book.items.has(id);
  const before = JSON.stringify(session.items());
  const receipt = tell(world, () => session.submit('steer', `text ${id}`, 'view', { id }), !known);
  if (!receipt) return;
  if (!known) {
    if (receipt.outcome !== 'refused') world.receipts.set(id, receipt);
    return;
  }
  if (JSON.stringify(session.items()) !== before) {
    witness.report('1 items', `sending ${id} once more changed what waits`);
  }
  if (first && receipt.outcome !== 'refused' && !isDeepStrictEqual(receipt, first)) {
    witness.report('1 items', `sending ${id} once more was answered with ${receipt.outcome}, not ${first.outcome}`);
  }
}

/** What a window does that opens the session it showed last: nobody asks, so it may not go on with what was stopped. */
function resume(world: World): void {
  const { session } = world.host;
  const { book } = world.witness;
  const last = [...book.turns.values()].at(-1);
  tell(world, () => {
    const receipt = session.resumeByItself({ text: 'Go on.', notice: 'It goes on.' });
    if (receipt && last?.stopped)
      world.witness.report('4 after a stop', `${last.id} was stopped, and goes on by itself`);
    return receipt;
  });
}

/**
 * Does what may make the agent start something.
 *
 * @returns the receipt, unless the host died before anybody could read it
 */
function tell(world: World, verb: () => Receipt | undefined, asks = true): Receipt | undefined {
  const { witness, host } = world;
  witness.book.mayResume = true;
  const receipt = verb();
  witness.book.mayResume = false;
  if (!receipt || !host.alive) return undefined;
  if (asks) witness.userAsked(receipt);
  return receipt;
}

export function stops(world: World, add: Add): void {
  const { host, witness } = world;
  const { session } = host;
  const stop = (how: { reason: string; by?: string }) => {
    const { now } = world;
    const same = session.state === 'stopping' && now - world.pressedAt < 300;
    const turnId = session.view()?.turnId;
    const waits = host.store.retries || host.agentsAtWork > 0;
    witness.userStops(turnId);
    const receipt = session.stop(how);
    if (!same) world.pressedAt = now;
    if (host.alive) witness.userStopped(host, { turnId, receipt, same, waits });
  };
  add('stop', () => stop({ reason: 'stop_button' }));
  if (session.state === 'stopping') add('stop, fast', () => stop({ reason: 'stop_button' }), DOUBLE_CLICK);
  add('stop, pressed twice', () => {
    stop({ reason: 'stop_button' });
    if (host.alive) stop({ reason: 'stop_button' });
  });
  add('a system stop', () => stop({ reason: 'budget', by: 'budget' }));
  if (session.state !== 'idle') add('stop after step', () => void session.stopAfterStep());
  add('reload', () => world.reload());
  add('close the view', () => {
    session.dispose();
    host.openAgain();
  });
  if (witness.diverged) add('open again', () => host.openAgain());
}

export function waiting(world: World, add: Add): void {
  const { session } = world.host;
  const items = session.items();
  for (const [index, item] of items.slice(0, 4).entries()) itemVerbs(world, items, item, index, add);
  if (items.some(({ state }) => state.is === 'held')) {
    add('resume the queue', () => {
      // Newer texts may have passed those that were held.
      for (const { id, state } of items) if (state.is === 'held') world.witness.book.moved.add(id);
      tell(world, () => session.resumeQueue());
    });
  }
  if (items.length > 0) add('clear the queue', () => void session.clearQueue());
}

function itemVerbs(world: World, items: readonly Item[], item: Item, index: number, add: Add): void {
  const { session } = world.host;
  const { book } = world.witness;
  const { id, revision } = item;
  const place = (verb: () => Receipt) => {
    book.moved.add(id);
    tell(world, verb);
  };
  if (item.state.is === 'returned') add(`take back ${index}`, () => session.acknowledge(id));
  add(`withdraw ${index}`, () => void session.withdraw(id));
  add(`send ${index} now`, () => place(() => session.sendNow(id)));
  add(`redirect ${index} now`, () => place(() => session.redirectNow(id)));
  add(`edit ${index}`, () => void session.edit(id, `${item.text}, better`, revision));
  add(`edit ${index} blindly`, () => void session.edit(id, 'too late', revision - 1));
  const move = (before?: string) => {
    book.moved.add(id);
    session.move(id, before);
  };
  const [first] = items;
  if (first && first.id !== id) add(`move ${index} up`, () => move(first.id));
  add(`move ${index} down`, () => move());
}

export function cards(world: World, add: Add): void {
  const { session } = world.host;
  session.approvals().forEach(({ id, choices }, index) => {
    for (const choice of choices) add(`answer card ${index}: ${choice}`, () => void session.answer(id, choice));
  });
  session.questions().forEach(({ id }, index) => {
    add(`answer question ${index}`, () => void session.answerQuestion(id, ['a']));
  });
  const running = session.view()?.tools.filter(({ state }) => state === 'running') ?? [];
  running.forEach(({ callId, name }, index) => {
    add(`stop call ${index}`, () => {
      const agent = session.childAgents().find((one) => one.callId === callId);
      if (agent) world.witness.userStopsAgent(agent.id);
      session.stopCommand(callId);
    });
    if (name === 'terminal' || name === 'delegate')
      add(`move call ${index} to the background`, () => void session.moveToBackground(callId));
  });
}

/** Everything that may happen next, each with a label that means the same in every schedule. */

import { isDeepStrictEqual } from 'node:util';
import type { HookEvent, Item, Receipt } from '../../../src/api.ts';
import { isAtWork } from './host.ts';
import { error, type Stream } from './model.ts';
import { calls } from './tools.ts';
import type { World } from './world.ts';

export interface Action {
  readonly label: string;
  /** Who does it: it decides how often it is chosen. */
  readonly by: 'setting' | 'user' | 'outside' | 'time' | 'fault';
  /** Milliseconds that pass after it. */
  readonly after: number;
  do(): void;
}

type Add = (label: string, act: () => void, after?: number) => void;

/** A person is not faster than this; a double click is. */
const PERSON = 400;
const DOUBLE_CLICK = 100;
const MOMENT = 5;

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export function possible(world: World): readonly Action[] {
  const list: Action[] = [];
  const add =
    (by: Action['by'], usual: number): Add =>
    (label, act, after = usual) => {
      list.push({ label, by, after, do: act });
    };
  settings(world, add('setting', 0));
  texts(world, add('user', PERSON));
  stops(world, add('user', PERSON));
  waiting(world, add('user', PERSON));
  cards(world, add('user', PERSON));
  model(world, add('outside', MOMENT));
  tools(world, add('outside', MOMENT));
  hooks(world, add('outside', MOMENT));
  time(world, add('time', 0));
  faults(world, add('fault', MOMENT));
  return list;
}

const HOOKS: readonly HookEvent[] = [
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'post_llm_call',
  'on_session_end',
  'agent_loop_stopped',
];

/** Before the first text only: the world that a schedule plays in. */
function settings(world: World, add: Add): void {
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

function texts(world: World, add: Add): void {
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
    add(`steer ${fresh} with an image`, () =>
      send(fresh, 'steer', { images: [{ mime: 'image/png', base64: 'AA==' }] }),
    );
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

function stops(world: World, add: Add): void {
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

function waiting(world: World, add: Add): void {
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

function cards(world: World, add: Add): void {
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

const BATCHES = [
  'read',
  'write',
  'terminal',
  'ask',
  'choose',
  'slow',
  'read read',
  'read slow read',
  'terminal read',
  'read write',
  'write write',
  'slow write',
  'ask read',
  'terminal ask',
  'unknown',
  'wrong read',
  'broken terminal',
  'terminal terminal write',
  'delegate',
  'delegate',
  'delegate read',
  'delegate delegate delegate',
  'aside',
  'aside terminal',
];

/** The real tool for questions is not given to agents: nobody is there whom they could ask. */
const AGENT_BATCHES = BATCHES.filter((batch) => !/ask|choose/.test(batch));

function model(world: World, add: Add): void {
  const { lookups, open } = world.host.model;
  lookups.forEach(({ answer }, index) => {
    add(`model ${index} is found`, () => answer(true));
    add(`model ${index} is not found`, () => answer(false));
  });
  const agents = world.host.session.childAgents();
  for (const [prefix, own] of speakers(world)) {
    const prefixed: Add = (label, act, after) => add(`${prefix}${label}`, act, after);
    const streams = open.filter(({ request }) => request.cacheKey === own);
    const current = streams.findLast(({ aborted }) => !aborted);
    if (current) answers(current, own === world.host.session.id ? BATCHES : AGENT_BATCHES, prefixed);
    const late = streams.findLast(({ aborted }) => aborted);
    if (late) lateAnswers(late, prefixed);
  }
  agents.forEach((one, index) => {
    const { id } = one;
    if (!isAtWork(one)) return;
    add(`agent ${index}: stopped by the user`, () => {
      world.witness.userStopsAgent(id);
      world.host.session.stopChild(id, 'card');
    });
    add(`agent ${index}: steered`, () => {
      const agent = world.host.session.children().find((child) => child.id === id);
      agent?.steer('a word to the agent');
    });
  });
}

/** Who may ask the model, with the key under which it asks: the session, its compaction, its agents. */
function speakers({ host: { session } }: World): readonly (readonly [string, string])[] {
  const agents = session.childAgents().map(({ id }, index) => [`agent ${index}: `, id] as const);
  return [['', session.id] as const, ...agents].flatMap(([prefix, id]) => [
    [prefix, id],
    [`${prefix}summary: `, `${id}-summary`],
  ]);
}

function lateAnswers(late: Stream, add: Add): void {
  add('late: abort seen', () => late.confirmAbort());
  add('late: text', () => late.say('text'));
  add('late: head', () => late.head());
  add('late: answer', () => late.end([]));
  add('late: calls', () => late.end(calls('read write', late.serial), 'tool_calls'));
  add('late: error', () => late.fail(error('server', true)));
  add('late: cut', () => late.cut());
}

function answers(stream: Stream, batches: readonly string[], add: Add): void {
  if (!stream.hasHead) add('head', () => stream.head());
  // A wire tells of the head before anything else; errors come without one.
  const say = (label: string, act: () => void) =>
    add(label, () => {
      if (!stream.hasHead) stream.head();
      act();
    });
  say('text', () => stream.say('text'));
  say('reasoning', () => stream.say('reasoning'));
  say('call progress', () => stream.callProgress());
  say('answer', () => {
    stream.say('text');
    stream.end([]);
  });
  say('answer without text', () => stream.end([]));
  say('answer, too long', () => stream.end([], 'length'));
  say('answer, filtered', () => stream.end([], 'content_filter'));
  for (const batch of batches) say(`calls: ${batch}`, () => stream.end(calls(batch, stream.serial), 'tool_calls'));
  add('error, may pass', () => stream.fail(error('server', true)));
  add('error, server says when', () => stream.fail(error('rate_limit', true, 5000)));
  add('error', () => stream.fail(error('bad_request', false)));
  add('overflow', () => stream.fail(error('context_overflow', false)));
  say('stream is cut', () => stream.fail(error('stream_cut', true)));
  say('stream ends without a word', () => stream.cut());
}

function tools(world: World, add: Add): void {
  const { tools, processes } = world.host;
  tools.lookups.slice(0, 3).forEach((lookup, index) => {
    add(`look-up ${index}: nothing to ask`, () => lookup.answer('nothing'));
    add(`look-up ${index}: asks`, () => lookup.answer('asks'));
    add(`look-up ${index}: throws`, () => lookup.answer('throws'));
  });
  tools.runs.slice(0, 4).forEach((run, index) => {
    const { signal, yieldSignal, callId, turnId } = run.context;
    const text = `result of ${callId}`;
    add(`tool ${index}: done`, () => run.end({ status: 'success', text }));
    add(`tool ${index}: fails`, () => run.end({ status: 'error', text: 'it did not work' }));
    add(`tool ${index}: throws`, () => run.throws());
    add(`tool ${index}: silent`, () => run.end({ status: 'error', text: '' }));
    add(`tool ${index}: output`, () => run.context.output(`output of ${callId}`));
    if (signal.aborted) add(`tool ${index}: gives way`, () => run.end({ status: 'stopped', text: 'stopped' }));
    if (run.tool === 'terminal' && yieldSignal.aborted) {
      add(`tool ${index}: yields`, () => {
        processes.takeOver(turnId, world.now);
        run.end({ status: 'yielded', text: 'it goes on in the background' });
      });
    }
  });
  processes.running.slice(0, 2).forEach(({ id }, index) => {
    add(`process ${index} ends`, () => processes.end(id, 'exited'));
  });
}

function hooks(world: World, add: Add): void {
  world.host.hooks.running.slice(0, 4).forEach((hook, index) => {
    add(`hook ${index}: fine`, () => hook.answer({}));
    if (hook.event !== 'pre_llm_call' && hook.event !== 'pre_tool_call') return;
    add(`hook ${index}: blocks`, () => hook.answer({ block: 'a hook said no' }));
    if (hook.event === 'pre_llm_call') add(`hook ${index}: context`, () => hook.answer({ context: 'some context' }));
  });
}

function time(world: World, add: Add): void {
  const { untilNext } = world.host.clock;
  if (untilNext !== undefined) add('the next timer', () => {}, untilNext);
  add('a second passes', () => {}, 1000);
}

function faults(world: World, add: Add): void {
  const { store } = world.host;
  add('crash', () => world.crash());
  add('crash, and again at the first write', () => world.crash('kills the host before'));
  add('crash, and again after the first write', () => world.crash('kills the host after'));
  add('the next write kills the host before', () => {
    store.fault = 'kills the host before';
  });
  add('the next write kills the host after', () => {
    store.fault = 'kills the host after';
  });
  add('the next write fails', () => {
    store.fault = 'fails';
  });
  add('the next write finds the lock held', () => {
    store.fault = 'lock is held';
  });
  if (store.full) {
    add('the disk has room again', () => {
      store.full = false;
    });
  } else {
    add('the disk is full', () => {
      store.full = true;
    });
  }
}

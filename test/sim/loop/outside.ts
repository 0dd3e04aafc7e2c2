/** What may come from outside next: models, tools, hooks, agents, time and faults. */

import type { Add } from './actions.ts';
import { isAtWork } from './host.ts';
import { error, type Stream } from './model.ts';
import { calls } from './tools.ts';
import type { World } from './world.ts';

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

export function model(world: World, add: Add): void {
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

export function tools(world: World, add: Add): void {
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

export function hooks(world: World, add: Add): void {
  world.host.hooks.running.slice(0, 4).forEach((hook, index) => {
    add(`hook ${index}: fine`, () => hook.answer({}));
    if (hook.event === 'pre_verify')
      add(`hook ${index}: goes on`, () => hook.answer({ goOn: { text: 'go on', by: 'a hook' } }));
    if (hook.event !== 'pre_llm_call' && hook.event !== 'pre_tool_call') return;
    add(`hook ${index}: blocks`, () =>
      hook.answer({ block: { reason: 'no', by: 'a hook', modelText: 'a hook said no' } }),
    );
    if (hook.event === 'pre_llm_call') add(`hook ${index}: context`, () => hook.answer({ context: 'some context' }));
  });
}

export function time(world: World, add: Add): void {
  const { untilNext } = world.host.clock;
  if (untilNext !== undefined) add('the next timer', () => {}, untilNext);
  add('a second passes', () => {}, 1000);
}

export function faults(world: World, add: Add): void {
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

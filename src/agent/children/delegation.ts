import type { AgentRole } from '../customisations/types.ts';
import type { Order, ToolResult } from '../tools/types.ts';
import type { ChildEnd } from './child-end.ts';
import { childIdOf } from './child-id.ts';
import { BY_PARENT, childPorts } from './child-ports.ts';
import { ChildProcesses } from './child-processes.ts';
import { ChildRun } from './child-run.ts';
import type { Places } from './places.ts';
import type { ChildrenParts, DelegatingCall } from './types.ts';
import { endedResult, yieldedResult } from './words.ts';

/**
 * Stores an agent, opens its session and gives it its task.
 *
 * @param ended called once, when it has ended
 * @throws when it cannot be stored; nothing runs then
 */
export function startRun(
  parts: ChildrenParts,
  places: Places,
  { name, task, background }: Order,
  role: AgentRole | undefined,
  { turnId, callId }: DelegatingCall,
  ended: (run: ChildRun, end: ChildEnd) => void,
): ChildRun {
  const { ports, sessionId, sessionRules, emit, tellHooks } = parts;
  const id = childIdOf(sessionId, callId);
  const startedAt = ports.clock.now();
  const processes = new ChildProcesses(parts.processes, turnId, parts.endProcess);
  let giveBack: (() => void) | undefined;
  const own = childPorts(ports, {
    parent: {
      sessionId,
      agentType: role?.name ?? name,
      sessionRules,
      waits: () => giveBack === undefined,
      mayAsk: () => parts.mayAsk(),
    },
    processes,
    role,
    mayBegin: async (signal) => {
      const place = await places.take(signal);
      if (run.isOver) return place?.();
      giveBack = place;
      run.began();
    },
  });
  store(parts, id, { title: name, model: role?.model ?? parts.modelRef() }, startedAt);
  const run = new ChildRun({
    id,
    name,
    role: role?.name,
    task,
    turnId,
    callId,
    startedAt,
    mode: background ? 'background' : 'foreground',
    session: parts.open(own, id),
    processes,
    clock: ports.clock,
    begun: () => giveBack !== undefined,
    changed: (child) => emit({ type: 'child', turnId, childId: id, name, state: child.state, child }),
    progress: parts.progress,
    announce: (event) => emit({ ...event, turnId }),
    ended: (end) => {
      giveBack?.();
      ended(run, end);
    },
  });
  const receipt = run.start();
  if (receipt.outcome !== 'refused') {
    tellHooks('subagent_start', {
      parent_turn_id: turnId,
      child_session_id: id,
      child_name: name,
      ...(role && { child_role: role.name }),
      child_goal: task,
      background,
    });
    return run;
  }
  run.close();
  throw new Error(receipt.message);
}

function store(
  { ports, sessionId }: ChildrenParts,
  id: string,
  { title, model }: { readonly title: string; readonly model: string | undefined },
  now: number,
): void {
  ports.store.create({
    id,
    parent: sessionId,
    title,
    titleSource: 'model',
    createdAt: now,
    updatedAt: now,
    ...(model === undefined ? {} : { model }),
  });
}

/** The result of a call that waits for its agent: when that has ended, or when the call is asked to yield. */
export async function waitFor(run: ChildRun, call: DelegatingCall, parts: ChildrenParts): Promise<ToolResult> {
  const waiting = new AbortController();
  const on = (signal: AbortSignal, listener: () => void) => {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true, signal: waiting.signal });
  };
  const stop = () => {
    if (parts.goesOn(call.turnId)) run.stop('user', 'stop_command');
    else run.stop(BY_PARENT, BY_PARENT);
  };
  const yielded = new Promise<'yielded'>((resolve) => {
    on(call.signal, stop);
    on(call.killSignal, stop);
    on(call.yieldSignal, () => {
      if (run.isOver) return;
      run.toBackground();
      resolve('yielded');
    });
  });
  const end = await Promise.race([run.ended, yielded]);
  waiting.abort();
  if (end === 'yielded') return yieldedResult(run.value, call.yieldSignal.reason === 'user');
  return endedResult(run.value, end);
}

import type { World } from './world.ts';

/** What the session shows and what is under way around it, without names and times: by it states are told apart. */
export function identity({ host, witness }: World): string {
  const { session, model, tools, hooks, processes, clock } = host;
  const view = session.view();
  const last = witness.book.rows.at(-1);
  return JSON.stringify([
    session.state,
    session.phase,
    view && [view.request, view.attempt, view.text !== '', view.tools.map(({ name, state }) => [name, state])],
    session.items().map(({ kind, state, revision }) => [kind, state.is, revision > 1]),
    model.open.map(({ aborted, hasHead, request }) => [aborted, hasHead, request.cacheKey === session.id]),
    session.childAgents().map(({ state, mode }) => [state, mode]),
    model.lookups.length,
    tools.lookups.length,
    tools.runs.map(({ tool, context }) => [tool, context.signal.aborted, context.yieldSignal.aborted]),
    hooks.running.map(({ event }) => event),
    processes.running.length,
    clock.timers,
    [last?.role, last?.kind, last?.status, last?.interrupted],
    [witness.diverged, witness.book.untold, host.store.full, host.store.fault],
  ]);
}

/** Hooks before a turn ends: they may have the agent go on. How often is the machine's to say. */

import { type Effect, type GoOn, type GoOnKind, type LoopEvent, MAX_GO_ONS } from '../../control/index.ts';
import type { WhichHooks } from '../../hooks/port.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { SessionHooks } from './session-hooks.ts';

type Finalize = Extract<Effect, { do: 'finalize' }>;

/** Tells the machine what the hooks want; without a hook to ask in the same tick. */
export function finalizeTurn(
  hooks: SessionHooks,
  turn: LiveTurn,
  effect: Finalize,
  tell: (event: LoopEvent) => void,
): void {
  const kinds = kindsToAsk(hooks, turn, effect);
  if (kinds.length === 0) return tell({ type: 'finalized', turnId: turn.id, goOns: [] });
  void ask(hooks, turn, kinds, effect.goneOn).then((goOns) => {
    for (const { kind, by } of goOns) turn.goOnBy.set(kind, by);
    tell({ type: 'finalized', turnId: turn.id, goOns });
  });
}

/** What the user is told, once for each kind; undefined where no hook did have the turn go on. */
export function goOnsUsedUp(turn: LiveTurn, kind: GoOnKind): string | undefined {
  const by = turn.goOnBy.get(kind);
  if (by === undefined) return undefined;
  turn.goOnBy.delete(kind);
  const often = kind === 'stop' ? `${MAX_GO_ONS.stop} times in a row` : `${MAX_GO_ONS.verify} times in this turn`;
  return `The hook ${by} has had the agent go on ${often}, which is the most; it is not followed any more. Look at what it asks for.`;
}

/** `stop`: written for a system whose hooks are asked at each end. Ours and those of Hermes look at changed files. */
const WHICH: Readonly<Record<GoOnKind, WhichHooks>> = {
  stop: ({ dialect }) => dialect !== 'midcourse' && dialect !== 'hermes',
  verify: ({ dialect }) => dialect === 'midcourse' || dialect === 'hermes',
};

/** The kinds of hooks that the machine wants asked and that have something to look at. */
function kindsToAsk(hooks: SessionHooks, turn: LiveTurn, { ask: wanted }: Finalize): readonly GoOnKind[] {
  if (!hooks.has('pre_verify')) return [];
  return wanted.filter((kind) => kind === 'stop' || turn.changed.size > 0);
}

/** Never rejects. */
async function ask(
  hooks: SessionHooks,
  turn: LiveTurn,
  kinds: readonly GoOnKind[],
  goneOn: Readonly<Record<GoOnKind, number>>,
): Promise<readonly GoOn[]> {
  const answers = await Promise.all(
    kinds.map(async (kind) => {
      const of = { attempt: goneOn[kind], final_response: turn.finalText, changed_paths: [...turn.changed] };
      const { signal } = turn.controller;
      return { kind, ...(await hooks.ask({ event: 'pre_verify', of, turn, signal, which: WHICH[kind] })) };
    }),
  );
  // One that wants the turn to end is heard before all that want it to go on.
  if (answers.some(({ stopTurn }) => stopTurn)) return [];
  return answers.flatMap(({ kind, goOn }) => (goOn ? [{ kind, ...goOn }] : []));
}

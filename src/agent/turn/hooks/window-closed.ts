import { type ControlState, phaseOf } from '../../control/index.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { Clock } from '../types.ts';
import { stoppedPayload, tellStopped } from './end-hooks.ts';
import type { SessionHooks } from './session-hooks.ts';

/**
 * The window closes while a turn runs: it ends with it, and its session can go on with it later. For hooks it is an
 * interruption like any other, so that nothing outside believes the agent to be at work for ever.
 */
export async function cutByWindow(
  hooks: SessionHooks,
  clock: Clock,
  turn: LiveTurn | undefined,
  state: ControlState,
): Promise<void> {
  if (!turn || !state.turn?.running || hooks.isOfAgent) return;
  const cause = { by: 'window_closed', reason: 'window_closed' };
  await tellStopped(hooks, clock, turn, stoppedPayload(cause, phaseOf(state.turn.activity), turn.text !== '', turn));
}

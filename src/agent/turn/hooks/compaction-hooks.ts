/** Hooks around a compaction. */

import type { HookAnswer } from '../../hooks/types.ts';
import type { LiveTurn, Summary } from '../live-turn.ts';
import { contextAfterCompaction } from './prompt-hooks.ts';
import type { SessionHooks } from './session-hooks.ts';

export type Trigger = 'manual' | 'auto';

/** `pre_compact`. Undefined when nobody refuses it; one that the model's window needs cannot be refused. */
export async function refusedCompaction(
  hooks: SessionHooks,
  turn: LiveTurn,
  trigger: Trigger,
): Promise<HookAnswer['block']> {
  if (!hooks.has('pre_compact')) return undefined;
  const of = { trigger, custom_instructions: '' };
  const { block } = await hooks.ask({ event: 'pre_compact', of, turn, signal: turn.controller.signal });
  return trigger === 'manual' ? block : undefined;
}

/** The summary with what hooks have for a session that begins anew behind it. */
export async function withHookContext(hooks: SessionHooks, turn: LiveTurn, summary: Summary): Promise<Summary> {
  const context = await contextAfterCompaction(hooks, turn);
  return context === undefined ? summary : { ...summary, providerText: `${summary.providerText}\n\n${context}` };
}

export function tellCompacted(hooks: SessionHooks, turn: LiveTurn, trigger: Trigger, summary: Summary): void {
  hooks.tell('post_compact', { trigger, summary: summary.text }, turn);
}

/** Hooks before texts go into the history, and at the start of a session. */

import type { Item } from '../../../api.ts';
import type { LoopEvent } from '../../control/index.ts';
import type { HookAnswer } from '../../hooks/types.ts';
import type { LiveTurn } from '../live-turn.ts';
import { contextNote } from '../notes.ts';
import type { SessionHooks } from './session-hooks.ts';
import type { SessionLife, StartSource } from './session-life.ts';

export interface PromptContext {
  readonly hooks: SessionHooks;
  readonly life: SessionLife;
  readonly turn: LiveTurn;
  tell(event: LoopEvent): void;
}

/** Asks the hooks for texts on their way into the history. Without a hook to wait for, the answer comes in the same tick. */
export function prepareTexts(context: PromptContext, items: readonly Item[]): void {
  const { hooks, life, turn, tell } = context;
  const itemIds = items.map((item) => item.id);
  turn.promptId ??= itemIds[0];
  const isFirstTurn = life.isFirstTurn;
  const source = life.begin();
  const waitsForStart = source !== undefined && hooks.answers('on_session_start');
  if (source !== undefined && !waitsForStart) tellStart(hooks, turn, source);
  if (!waitsForStart && (!hooks.has('pre_llm_call') || items.length === 0)) {
    return tell({ type: 'prepared', turnId: turn.id, itemIds, blocked: [] });
  }
  void ask(context, items, waitsForStart ? source : undefined, isFirstTurn).then((blocked) =>
    tell({ type: 'prepared', turnId: turn.id, itemIds, blocked }),
  );
}

/** The context that hooks have for a session that begins anew behind a summary; undefined when they have none. */
export async function contextAfterCompaction(hooks: SessionHooks, turn: LiveTurn): Promise<string | undefined> {
  if (!hooks.has('on_session_start')) return undefined;
  return noteOf(await askStart(hooks, turn, 'compact'));
}

type Blocked = { readonly id: string; readonly why: string };

async function ask(
  { hooks, turn }: PromptContext,
  items: readonly Item[],
  source: StartSource | undefined,
  isFirstTurn: boolean,
): Promise<readonly Blocked[]> {
  if (source !== undefined) {
    const start = await askStart(hooks, turn, source);
    const refused = whyNot(start);
    if (refused !== undefined) return items.map(({ id }) => ({ id, why: refused }));
    addContext(turn, items[0]?.id, start);
  }
  if (!hooks.has('pre_llm_call')) return [];
  const answers = await Promise.all(
    items.map(async ({ id, text, kind }) => {
      const of = { user_message: text, kind, item_id: id, is_first_turn: isFirstTurn };
      return { id, answer: await hooks.ask({ event: 'pre_llm_call', of, turn, signal: turn.controller.signal }) };
    }),
  );
  for (const { id, answer } of answers) addContext(turn, id, answer);
  return answers.flatMap(({ id, answer }) => {
    const why = whyNot(answer);
    return why === undefined ? [] : [{ id, why }];
  });
}

function askStart(hooks: SessionHooks, turn: LiveTurn, source: StartSource): Promise<HookAnswer> {
  const { signal } = turn.controller;
  return hooks.ask({ event: 'on_session_start', of: { source }, turn, signal });
}

function tellStart(hooks: SessionHooks, turn: LiveTurn, source: StartSource): void {
  if (hooks.has('on_session_start')) void askStart(hooks, turn, source);
}

function whyNot({ block, stopTurn }: HookAnswer): string | undefined {
  const refusal = block ?? stopTurn;
  return refusal && `${refusal.by}: ${refusal.reason}`;
}

function addContext(turn: LiveTurn, itemId: string | undefined, answer: HookAnswer): void {
  const note = noteOf(answer);
  if (itemId === undefined || note === undefined) return;
  turn.hookContext.set(itemId, [...(turn.hookContext.get(itemId) ?? []), note]);
}

function noteOf({ context, contextBy }: HookAnswer): string | undefined {
  return context === undefined ? undefined : contextNote(context, contextBy);
}

/**
 * One compaction: the plan, one request for a summary, and what comes of it. It writes nothing; the swap is the
 * machine's one write.
 */

import type { TurnError } from '../../api.ts';
import {
  charactersWithin,
  type Entry,
  framedSummary,
  planCompaction,
  SUMMARY_INSTRUCTION,
  summaryRequest,
  textTokens,
  totalTokens,
} from '../context/index.ts';
import type { ModelError, ModelRequest } from '../model/types.ts';
import type { History } from './history.ts';
import { AttemptHooks } from './hooks/attempt-hooks.ts';
import type { SessionHooks } from './hooks/session-hooks.ts';
import type { LiveTurn, Summary } from './live-turn.ts';
import type { AgentPorts, ResolvedModel } from './types.ts';

/** Of the window: what the conversation may take in the request for its summary. */
const INPUT_SHARE = 0.6;
/** Of the window: the user's own words that are repeated; longer ones lose their middle. */
const GOAL_SHARE = 0.2;
/** Tokens that a summary may have, of the window and at most. Models that think need room for that too. */
const OUTPUT_SHARE = 0.2;
const MOST_OUTPUT = 8192;
/** A summary of a short conversation may be longer than it; one of a long conversation has to be shorter. */
const SHORT = 1000;

export interface CompactionContext {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly modelRef: string | undefined;
  readonly turn: LiveTurn;
  readonly history: History;
  readonly hooks: SessionHooks;
  /** Tokens that the provider has just refused as too many: its window is smaller than is known. */
  readonly refused: number | undefined;
  /** False when what may be spent is spent: the turn has been stopped then. */
  mayAsk(): boolean;
  /** Something came from the model. */
  progress(): void;
}

export type CompactionOutcome =
  | { readonly made: Summary }
  /** In words, without a full stop. `noop`: there was nothing to do; `refused`: the summary was no gain. */
  | { readonly failed: string; readonly kind: 'noop' | 'refused' | 'failed' };

/** Never rejects for what a model or the network does; after an abort its outcome counts for nothing. */
export async function runCompaction(context: CompactionContext, signal: AbortSignal): Promise<CompactionOutcome> {
  const { ports, turn, history } = context;
  const model = turn.model ?? (await ports.models.resolve(context.modelRef));
  if (signal.aborted) return { failed: 'the turn was stopped', kind: 'failed' };
  if ('error' in model) return { failed: withoutStop(model.error.message), kind: 'failed' };
  turn.model = model;
  if (model.keepsHistory) {
    const there = (await model.wire.compact?.(context.sessionId, signal)) ?? false;
    const how = there ? 'has compacted its own copy' : 'compacts it there';
    return { failed: `${model.label} keeps the conversation itself and ${how}`, kind: 'noop' };
  }
  const plan = planCompaction(history.entries(), model.contextWindow);
  if (!plan) {
    return { failed: 'there is nothing before the newest messages that a summary could replace', kind: 'noop' };
  }

  if (!context.mayAsk()) return { failed: 'the turn was stopped', kind: 'failed' };
  const answer = await askForSummary(context, model, plan.summarised, signal);
  if ('failed' in answer) return { ...answer, kind: 'failed' };
  const replaced = totalTokens(plan.summarised);
  if (textTokens(answer.text) > Math.max(SHORT, replaced)) {
    return { failed: 'the summary was longer than what it was to replace', kind: 'refused' };
  }
  const goal = history.goalBefore(plan.keepsFrom);
  return {
    made: {
      text: answer.text,
      displayText: 'The conversation up to here was summarised; the model reads the summary instead.',
      providerText: framedSummary(answer.text, goal, charactersWithin(model.contextWindow * GOAL_SHARE)),
      keepsFrom: plan.keepsFrom,
    },
  };
}

async function askForSummary(
  { ports, sessionId, turn, hooks, refused, progress }: CompactionContext,
  model: ResolvedModel,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly failed: string }> {
  const room = Math.min(model.contextWindow, refused ?? model.contextWindow) * INPUT_SHARE;
  const output = Math.min(model.maxOutput ?? MOST_OUTPUT, MOST_OUTPUT, Math.floor(model.contextWindow * OUTPUT_SHARE));
  const request: ModelRequest = {
    model: model.model,
    system: SUMMARY_INSTRUCTION,
    messages: summaryRequest(
      entries.map((entry) => entry.message),
      Math.max(1000, charactersWithin(room)),
    ),
    tools: [],
    maxOutput: output,
    cacheKey: `${sessionId}-summary`,
    once: true,
  };
  const told = new AttemptHooks(hooks, ports.clock, turn, { request: turn.request, attempt: 1, kind: 'compaction' });
  told.sent(request.messages.length);
  let text = '';
  for await (const part of model.wire.stream(request, signal)) {
    if (signal.aborted) break;
    progress();
    if (part.type === 'restart') text = '';
    if (part.type === 'text') text += part.text;
    if (part.type !== 'end' && part.type !== 'error') continue;
    told.ended(part);
    if (part.usage) turn.charge(part.usage, model);
    if (part.type === 'error') {
      told.failed(part.error);
      ports.log.warn(`the summary of ${sessionId} failed: ${part.error.kind}: ${part.error.detail}`);
      const overflow = part.error.kind === 'context_overflow';
      return {
        failed: overflow ? 'the request for its summary was too long as well' : withoutStop(part.error.message),
      };
    }
    if (part.finish === 'length' || part.finish === 'incomplete')
      return { failed: 'the summary was cut at the output limit of the model' };
    if (part.finish === 'content_filter') return { failed: 'the provider withheld the summary by its content rules' };
    const summary = text.trim();
    return summary === '' ? { failed: 'the model wrote no summary' } : { text: summary };
  }
  told.ended(undefined);
  return { failed: 'the connection to the model was lost' };
}

/** A message of its own, told behind a colon. */
function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}

type Refusal = TurnError & Pick<ModelError, 'kind' | 'message'> & { readonly action: string };

/**
 * For people: the provider refuses the conversation, and a compaction did not mend it.
 *
 * @param why it came to nothing; undefined when the summary was made and the conversation is still too long
 */
export function tooLong(turn: LiveTurn, why: string | undefined): Refusal {
  const model = turn.model?.label ?? 'the model';
  const tried = why === undefined ? 'even though it was summarised' : `and it was not compacted: ${why}`;
  return {
    kind: 'context_overflow',
    message: `The conversation is longer than ${model} can read, ${tried}. Nothing is lost. Choose a model with a larger window, or start a new session.`,
    action: 'midcourse.selectModel',
  };
}

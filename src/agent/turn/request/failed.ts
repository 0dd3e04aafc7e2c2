/** What comes of an attempt that failed: what `recover` decided is carried out here, and the machine is told. */

import {
  afterSwitch,
  compactionHelps,
  type FailedAttempt,
  FRESH,
  type RecoveryState,
  recover,
  refusedTool,
  withoutOne,
} from '../../model/index.ts';
import type { ModelError, ModelMessage } from '../../model/types.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { ResolvedModel } from '../types.ts';
import type { AttemptOf, RequestContext } from './context.ts';
import { continues } from './continuation.ts';
import { droppedWords } from './dropped-calls.ts';
import { errorOf, refusedToolWords, switchWords } from './failure-words.ts';

/**
 * Tells the machine `failed` or `continues`, once; later when another key or model is looked for.
 *
 * @param connections that the attempt opened
 */
export function failed(context: RequestContext, of: AttemptOf, error: ModelError, connections = 1): void {
  const { turn, ports } = context;
  ports.log.warn(`request ${of.request} attempt ${of.attempt} of ${of.turnId} failed: ${error.kind}: ${error.detail}`);
  turn.error = errorOf(turn, error);
  adopt(context, error);
  decide({ context, of, error, attempt: describe(context, error, connections) }, stateOf(turn, of.request));
}

interface Failed {
  readonly context: RequestContext;
  readonly of: AttemptOf;
  readonly error: ModelError;
  readonly attempt: FailedAttempt;
}

function decide(failure: Failed, before: RecoveryState): void {
  const { context, of, error, attempt } = failure;
  const { turn } = context;
  const { recovery, state } = recover(attempt, before);
  turn.recovery = { request: of.request, state };
  switch (recovery.do) {
    case 'reconnect':
      context.notice('reconnecting', RECONNECTING);
      return askAgain(failure, 0, false);
    case 'wait':
      return askAgain(failure, recovery.delayMs, recovery.retryAfter);
    case 'rotate':
      return void otherKey(failure, state, recovery.reread).catch((broken: unknown) => crashed(failure, broken));
    case 'fallback':
      return void otherModel(failure, state).catch((broken: unknown) => crashed(failure, broken));
    case 'compact':
      shrinkWindow(turn, recovery.window);
      if (error.vague) turn.error = errorOf(turn, { ...error, kind: 'context_overflow' });
      return giveUp(failure, 'context_exhausted');
    case 'lower_output':
      lowerOutput(failure, recovery.maxOutput);
      return askAgain(failure, 0, false);
    case 'drop_images':
      if (turn.model) context.images.refuse(turn.model, context.messages());
      return askAgain(failure, 0, false);
    case 'drop_tool':
      context.notice('tool_refused', refusedToolWords(recovery.tool, turn.model?.label));
      if (turn.opening) turn.opening = withoutTool(turn.opening, recovery.tool);
      return askAgain(failure, 0, false);
    case 'think':
      letThink(turn);
      return askAgain(failure, 0, false);
    case 'continue':
      turn.cutCall = undefined;
      if (recovery.why === 'dropped_call') context.notice('dropped_calls', droppedWords(writing(turn, error)));
      return continues(context, of, recovery.why);
    case 'give_up':
      turn.error = errorOf(turn, error, recovery.why);
      return giveUp(failure, exitOf(failure, recovery.why === undefined));
    default:
      recovery satisfies never;
  }
}

const RECONNECTING =
  'The connection to the model broke while it was writing a call. Nothing of it was run; the model is asked again.';

function askAgain({ context, of }: Failed, ms: number, retryAfter: boolean): void {
  context.tell({ type: 'failed', ...of, retry: { ms, retryAfter }, exit: 'model_error' });
}

function giveUp({ context, of }: Failed, exit: 'model_error' | 'context_exhausted'): void {
  context.tell({ type: 'failed', ...of, retry: undefined, exit });
}

/** `context_exhausted` may still be compacted. What was shown of an answer would be said twice after that. */
function exitOf({ context, error, attempt }: Failed, mayCompact: boolean): 'model_error' | 'context_exhausted' {
  const may = mayCompact && !attempt.shown && !context.turn.model?.keepsHistory;
  return may && compactionHelps(error.kind) ? 'context_exhausted' : 'model_error';
}

function describe(
  { turn, ports, watch, images, messages, mayCompact }: RequestContext,
  error: ModelError,
  connections: number,
) {
  const { maxAttempts, compacts = true } = ports.settings();
  const { model } = turn;
  const window = model?.contextWindow ?? 0;
  const sent = messages();
  const { maxOutput = model?.maxOutput, effort = model?.effort ?? 'none' } = turn.asksWith;
  const canCompact = mayCompact && !model?.keepsHistory && watch.canCompact(window);
  return {
    error,
    shown: turn.text !== '',
    calling: writing(turn, error).length > 0,
    session: { tokens: watch.estimate(), messages: sent.length, window, thinks: effort !== 'none' },
    images: model !== undefined && images.for(model, sent).some(hasImages),
    compaction: !compacts ? 'off' : canCompact ? 'possible' : 'done',
    refusedTool: refusedTool(error, turn.opening?.tools ?? [])?.name,
    severalKeys: model?.key !== undefined,
    maxOutput,
    connections,
    maxAttempts,
    random: Math.random(),
  } satisfies FailedAttempt;
}

/** Names of the calls that the attempt was writing. */
function writing(turn: LiveTurn, { droppedCalls }: ModelError): readonly string[] {
  return droppedCalls ?? [...turn.callsBegun];
}

function hasImages(message: ModelMessage): boolean {
  return message.role === 'user' && (message.images?.length ?? 0) > 0;
}

export function stateOf({ recovery }: LiveTurn, request: number): RecoveryState {
  return recovery?.request === request ? recovery.state : FRESH;
}

async function otherKey(failure: Failed, state: RecoveryState, reread: boolean): Promise<void> {
  const { context, error } = failure;
  const { turn, ports } = context;
  const { model } = turn;
  const next = model && (await ports.models.rotate?.(model, error, reread));
  if (isOver(failure)) return;
  if (!next) return decide(failure, withoutOne(state, 'key'));
  ports.log.info(`${next.ref} goes on with another key after ${error.kind}`);
  use(failure, next, afterSwitch(state, 'key'));
}

async function otherModel(failure: Failed, state: RecoveryState): Promise<void> {
  const { context, error } = failure;
  const { turn, ports } = context;
  const tried = turn.model ? [...turn.tried, turn.model] : turn.tried;
  const next = await ports.models.fallback?.(tried, error);
  if (isOver(failure)) return;
  if (!next) return decide(failure, withoutOne(state, 'model'));
  context.notice('model_switched', switchWords(turn.model?.label, error.kind, next.label));
  turn.tried = tried;
  use(failure, next, afterSwitch(state, 'model'));
}

function use(failure: Failed, model: ResolvedModel, state: RecoveryState): void {
  const { turn } = failure.context;
  turn.model = model;
  turn.recovery = { request: failure.of.request, state };
  askAgain(failure, 0, false);
}

/** A stop or a redirect came while another key or model was looked for. */
function isOver({ context: { turn }, of }: Failed): boolean {
  return turn.requestController?.signal.aborted === true || turn.attempt !== of.attempt || turn.request !== of.request;
}

function crashed(failure: Failed, broken: unknown): void {
  failure.context.ports.log.error(`another key or model could not be looked for: ${broken}`);
  if (!isOver(failure)) giveUp(failure, 'model_error');
}

/** A window that the refusal names is the true one, unless the user wants a smaller. */
function adopt({ turn, ports }: RequestContext, { contextWindow }: ModelError): void {
  const { model } = turn;
  if (!model || contextWindow === undefined || contextWindow >= model.contextWindow) return;
  turn.model = { ...model, contextWindow };
  ports.models.learn?.(model.ref, { contextWindow });
}

function shrinkWindow(turn: LiveTurn, window: number | undefined): void {
  if (turn.model && window !== undefined && window < turn.model.contextWindow) {
    turn.model = { ...turn.model, contextWindow: window };
  }
}

/** A limit beside a window is what this conversation leaves of it: it says nothing of the model. */
function lowerOutput({ context: { turn, ports }, error }: Failed, maxOutput: number): void {
  turn.asksWith = { ...turn.asksWith, maxOutput };
  if (!turn.model || error.contextWindow !== undefined) return;
  turn.model = { ...turn.model, maxOutput };
  ports.models.learn?.(turn.model.ref, { maxOutput });
}

function withoutTool(opening: NonNullable<LiveTurn['opening']>, name: string): NonNullable<LiveTurn['opening']> {
  return { ...opening, tools: opening.tools.filter((tool) => tool.name !== name) };
}

function letThink(turn: LiveTurn): void {
  turn.asksWith = { ...turn.asksWith, effort: 'low' };
  if (turn.model?.effort === 'none') turn.model = { ...turn.model, effort: 'low' };
}

/**
 * What to do after a failed attempt: the one place where the order of recovery is decided. Pure: the turn carries it
 * out, and asks again with the state it got back when a key or a model was not to be had.
 */

import type { Continuation } from '../../../api.ts';
import { HINTS } from '../failures/hints.ts';
import { isProbablyTooLong, type SessionSize } from '../failures/size-guess.ts';
import type { ModelError, ModelErrorKind } from '../types.ts';
import { type Backoff, backoff, ceiling } from './retry.ts';

/** What has been tried for one request. A one-shot that is `used` is not tried for it again. */
export interface RecoveryState {
  /** How often it was asked again at once because its connection broke while it was writing a call. */
  readonly reconnects: number;
  /** Failed requests that count, with the model and key in use. */
  readonly charged: number;
  readonly used: ReadonlySet<OneShot>;
}

export type OneShot =
  | 'same_key_again'
  | 'reread_keys'
  | 'no_key_left'
  | 'no_model_left'
  | 'policy_fallback'
  | 'lower_output'
  | 'drop_images'
  | 'think'
  | 'smaller_window';

export const FRESH: RecoveryState = { reconnects: 0, charged: 0, used: new Set() };

export interface FailedAttempt {
  readonly error: ModelError;
  /** Text of this attempt was shown. */
  readonly shown: boolean;
  /** It was writing a call. */
  readonly calling: boolean;
  readonly session: SessionSize;
  /** Images went with it that can be left out. */
  readonly images: boolean;
  /** The tool for which it was refused. */
  readonly refusedTool: string | undefined;
  readonly compaction: 'possible' | 'off' | 'done';
  /** The provider has several keys. */
  readonly severalKeys: boolean;
  /** Tokens of output that were asked for. */
  readonly maxOutput: number | undefined;
  /** How often it was sent: a wire opens a connection again by itself that broke before anything was shown. */
  readonly connections: number;
  /** Requests that count, before it is given up; at least 1. */
  readonly maxAttempts: number;
  /** In [0, 1). */
  readonly random: number;
}

export type Recovery =
  /** The same request at once; shown text goes, and people are told why. */
  | { readonly do: 'reconnect' }
  /** The same request later. */
  | ({ readonly do: 'wait' } & Backoff)
  | { readonly do: 'rotate'; readonly reread: boolean }
  | { readonly do: 'fallback' }
  /** Then again. `window`: the tokens that are left of the model's window. */
  | { readonly do: 'compact'; readonly window?: number }
  | { readonly do: 'lower_output'; readonly maxOutput: number }
  | { readonly do: 'drop_images' }
  /** For the rest of the turn. */
  | { readonly do: 'drop_tool'; readonly tool: string }
  /** A little, because the model does not go without. */
  | { readonly do: 'think' }
  /** What was shown is kept and the model goes on from it. */
  | { readonly do: 'continue'; readonly why: Extract<Continuation, 'network' | 'dropped_call'> }
  | { readonly do: 'give_up'; readonly why?: 'compaction_off' };

type Wait = Extract<Recovery, { do: 'wait' }>;

export interface Recovered {
  readonly recovery: Recovery;
  readonly state: RecoveryState;
}

const MAX_RECONNECTS = 2;
/** Tokens that stay free below an output limit that a provider named. */
const BELOW_LIMIT = 64;
/** Tokens of the window that every plan has. */
const COMMON_WINDOW = 200_000;

/** The first that applies: the connection, shown text, a change to the request, another key or model, a wait. */
export function recover(attempt: FailedAttempt, before: RecoveryState): Recovered {
  return (
    reconnect(attempt, before) ??
    goOn(attempt, before) ??
    mend(attempt, before) ??
    route(attempt, { ...before, charged: before.charged + attempt.connections })
  );
}

/** Another key or another model is in use: what the last one had failed with does not count against it. */
export function afterSwitch(state: RecoveryState, to: 'key' | 'model'): RecoveryState {
  const used = new Set(state.used);
  used.delete('same_key_again');
  if (to === 'model') {
    used.delete('no_key_left');
    used.delete('reread_keys');
    used.delete('lower_output');
  }
  return { reconnects: 0, charged: 0, used };
}

/** The key or the model that `recover` wanted is not there: it is asked again with this state. */
export function withoutOne(state: RecoveryState, missing: 'key' | 'model'): RecoveryState {
  return { ...use(state, missing === 'key' ? 'no_key_left' : 'no_model_left'), charged: state.charged - 1 };
}

const BROKEN: ReadonlySet<ModelErrorKind> = new Set(['network', 'timeout', 'stream_cut']);

/**
 * The connection broke while a call was being written: nothing of it has run, so the same request may go out at once.
 * A wire does so by itself as long as nothing was shown.
 */
function reconnect({ error, shown, calling }: FailedAttempt, state: RecoveryState): Recovered | undefined {
  const transient = BROKEN.has(error.kind) && error.retryable && error.status === undefined;
  if (!transient || !shown || !calling || state.reconnects >= MAX_RECONNECTS) return undefined;
  return { recovery: { do: 'reconnect' }, state: { ...state, reconnects: state.reconnects + 1 } };
}

/** Shown text is never asked for twice. What was withheld is not gone on with; what was too long would be longer still. */
function goOn({ error, shown, calling }: FailedAttempt, state: RecoveryState): Recovered | undefined {
  if (!shown || error.kind === 'content_policy') return undefined;
  if (HINTS[error.kind].compact) return { recovery: { do: 'give_up' }, state };
  return { recovery: { do: 'continue', why: calling ? 'dropped_call' : 'network' }, state };
}

/** What the same model may take once the request is changed. */
function mend(attempt: FailedAttempt, state: RecoveryState): Recovered | undefined {
  const { error, images, compaction, refusedTool, maxOutput: asked } = attempt;
  const once = (what: OneShot, recovery: Recovery): Recovered | undefined =>
    state.used.has(what) ? undefined : { recovery, state: use(state, what) };
  const withoutImages = () => (images ? once('drop_images', { do: 'drop_images' }) : undefined);
  switch (isTooLong(attempt, state) ? 'context_overflow' : error.kind) {
    case 'output_cap': {
      const maxOutput = (error.outputLimit ?? 0) - BELOW_LIMIT;
      if (maxOutput <= 0) return undefined;
      if (asked !== undefined && asked > maxOutput) return { recovery: { do: 'lower_output', maxOutput }, state };
      return once('lower_output', { do: 'lower_output', maxOutput });
    }
    case 'image_rejected':
      return withoutImages();
    case 'bad_request':
      // One less each time, so that it ends.
      return refusedTool === undefined ? undefined : { recovery: { do: 'drop_tool', tool: refusedTool }, state };
    case 'reasoning_mandatory':
      return once('think', { do: 'think' });
    case 'payload_too_large':
      // An image is most of the bytes and little of the conversation.
      return (
        withoutImages() ??
        (compaction === 'possible' ? { recovery: { do: 'compact' }, state } : offWhen(compaction, state))
      );
    case 'context_overflow':
      if (isUnlikely(attempt)) return undefined;
      if (compaction === 'possible') return { recovery: { do: 'compact' }, state };
      return offWhen(compaction, state);
    case 'long_context_tier':
      if (compaction !== 'possible') return offWhen(compaction, state);
      return once('smaller_window', { do: 'compact', window: COMMON_WINDOW });
    default:
      return undefined;
  }
}

/**
 * A refusal without a reason counts as too long only as long as something can be done about that, and a connection that
 * broke only when it does so again.
 */
function isTooLong({ error, session, compaction }: FailedAttempt, { charged }: RecoveryState): boolean {
  if (error.vague !== true || compaction !== 'possible') return false;
  return (error.status === 400 || charged > 0) && isProbablyTooLong(error, session);
}

/** A local server that names no limit, while half of the window is free: it is likelier to be short of memory. */
function isUnlikely({ error, session }: FailedAttempt): boolean {
  return error.kind === 'context_overflow' && error.vague === true && session.tokens < session.window / 2;
}

function offWhen(compaction: FailedAttempt['compaction'], state: RecoveryState): Recovered | undefined {
  return compaction === 'off' ? { recovery: { do: 'give_up', why: 'compaction_off' }, state } : undefined;
}

/** Another key, another model, or the same again later; `state` has counted this attempt. */
function route(attempt: FailedAttempt, state: RecoveryState): Recovered {
  const { error } = attempt;
  const { fallback } = HINTS[error.kind];
  const wait = backOff(attempt, state);
  const key = nextKey(attempt, state, wait);
  if (key) return key;
  const soon = fallback === 'at_once' || (fallback === 'after_retry' && (state.charged > 1 || isLong(wait)));
  if (soon || (!wait && fallback !== 'never')) {
    const other = nextModel(error, state);
    if (other) return other;
  }
  return { recovery: wait ?? { do: 'give_up' }, state };
}

/** Codes of a limit that no short wait ends. */
const USED_UP: ReadonlySet<string> = new Set(['usage_limit_reached', 'usage_limit_exceeded', 'quota_exceeded']);

/** Milliseconds that nobody should wait while another key or model could go on. */
const LONG_WAIT = 60_000;

function isLong(wait: Wait | undefined): boolean {
  return wait !== undefined && wait.delayMs > LONG_WAIT;
}

function nextKey(
  { error, severalKeys }: FailedAttempt,
  state: RecoveryState,
  wait: Wait | undefined,
): Recovered | undefined {
  if (!HINTS[error.kind].rotate || error.status === 403 || state.used.has('no_key_left')) return undefined;
  const passes = error.kind === 'rate_limit' && severalKeys && !USED_UP.has(error.code ?? '');
  if (passes && wait && !isLong(wait) && !state.used.has('same_key_again')) {
    return { recovery: wait, state: use(state, 'same_key_again') };
  }
  const reread = error.kind === 'auth' && !state.used.has('reread_keys');
  return { recovery: { do: 'rotate', reread }, state: reread ? use(state, 'reread_keys') : state };
}

function nextModel(error: ModelError, state: RecoveryState): Recovered | undefined {
  if (state.used.has('no_model_left')) return undefined;
  if (error.kind !== 'content_policy') return { recovery: { do: 'fallback' }, state };
  if (state.used.has('policy_fallback')) return undefined;
  return { recovery: { do: 'fallback' }, state: use(state, 'policy_fallback') };
}

function backOff({ error, maxAttempts, random }: FailedAttempt, state: RecoveryState): Wait | undefined {
  if (!error.retryable || state.charged >= ceiling(error, maxAttempts)) return undefined;
  return { do: 'wait', ...backoff(error, state.charged, random) };
}

function use(state: RecoveryState, one: OneShot): RecoveryState {
  return { ...state, used: new Set([...state.used, one]) };
}

/** Judges a failure: which kind it is, whether waiting helps, and what a person should do. */

import { isLocal } from '../catalogue/index.ts';
import { holdsSecret, redact } from '../redact.ts';
import type { ModelError, ModelErrorKind } from '../types.ts';
import { describeCauses, statusAlongCauses } from './causes.ts';
import type { Endpoint, Failure } from './failure.ts';
import { isRetryable } from './hints.ts';
import { describeKind } from './kinds.ts';
import { networkKind } from './network-errors.ts';
import { type ProviderError, parseErrorText, providerError } from './provider-error.ts';
import { type QuotedLimits, quotedLimits } from './quoted-limits.ts';
import { kindOfRefusal, SPEND_CAP } from './refusals.ts';
import { retryAfterMs } from './retry-after.ts';

/** `now` is milliseconds since the epoch, for a `Retry-After` that is a date. Never throws. */
export function classify(failure: Failure, endpoint: Endpoint, now: number = Date.now()): ModelError {
  switch (failure.at) {
    case 'status':
      return ofStatus(failure, endpoint, now);
    case 'body':
      return judge('not_json', endpoint, {
        detail: `HTTP ${failure.status} with ${failure.contentType || 'no content type'}: ${failure.body}`,
        status: failure.status,
      });
    case 'frame': {
      const said = providerError(failure.body);
      const kind = kindOfFrame(said);
      return ofWords(kind, endpoint, {
        detail: `Error in the stream: ${said.text}`,
        said,
        retryAfterMs: retryAfterMs(undefined, failure.body, now),
      });
    }
    case 'cut':
      return judge('stream_cut', endpoint, { detail: failure.why });
    case 'silent': {
      const error = judge('timeout', endpoint, { detail: failure.why });
      return failure.gaveUp ? { ...error, retryable: false } : error;
    }
    case 'thrown':
      return ofThrown(failure, endpoint);
    default:
      return failure satisfies never;
  }
}

type Of<At extends Failure['at']> = Extract<Failure, { at: At }>;

function ofStatus({ status, headers, body: text }: Of<'status'>, endpoint: Endpoint, now: number): ModelError {
  const body = parseErrorText(text);
  const said = providerError(body);
  const page = isPage(text);
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  const error = ofWords(kindOfRefusal(status, said.text, page), endpoint, {
    detail: `HTTP ${status}${id === null ? '' : ` (${id})`}: ${said.text || text}`,
    status,
    said,
    retryAfterMs: retryAfterMs(headers, body, now),
  });
  const vague = page ? ORIGIN_FAILED.has(status) : isVague(error, said);
  return vague ? { ...error, vague: true } : error;
}

function ofThrown({ error, afterHead }: Of<'thrown'>, endpoint: Endpoint): ModelError {
  const detail = describeCauses(error);
  const status = afterHead ? undefined : statusAlongCauses(error);
  if (status !== undefined) {
    const said = providerError({ message: String(error) });
    return ofWords(kindOfRefusal(status, said.text, false), endpoint, { detail, status, said });
  }
  const { kind, retryable, why, hungUp } = networkKind(error, afterHead);
  return {
    ...judge(kind, endpoint, { detail, why }),
    ...(retryable !== undefined && { retryable }),
    ...(hungUp && { vague: true }),
  };
}

interface Facts {
  readonly detail: string;
  readonly status?: number;
  readonly said?: ProviderError;
  readonly why?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A kind that the provider's words may still make more exact: they name limits. */
function ofWords(
  kind: ModelErrorKind,
  endpoint: Endpoint,
  facts: Facts & { readonly said: ProviderError },
): ModelError {
  const limits = kind === 'context_overflow' || kind === 'output_cap' ? quotedLimits(facts.said.text) : {};
  const error = { ...judge(exactKind(kind, limits), endpoint, facts), ...limits };
  // Local servers say so also when they have run out of memory, which may pass.
  const unsure =
    error.kind === 'context_overflow' && limits.contextWindow === undefined && isLocal(`http://${endpoint.host}`);
  return unsure ? { ...error, vague: true, retryable: true } : error;
}

/** Tokens of output below which an answer is not worth asking for: the conversation has to be shorter. */
const LEAST_OUTPUT = 1_024;

/** A conversation that fits when less output is asked for is not too long, and the other way round. */
function exactKind(kind: ModelErrorKind, { contextWindow, outputLimit }: QuotedLimits): ModelErrorKind {
  if (contextWindow === undefined || outputLimit === undefined) return kind;
  return outputLimit < LEAST_OUTPUT ? 'context_overflow' : 'output_cap';
}

function judge(kind: ModelErrorKind, endpoint: Endpoint, facts: Facts): ModelError {
  const { said, status, retryAfterMs: wait } = facts;
  const code = said?.code || said?.type;
  const { message, action } = describeKind(kind, endpoint, {
    said: said === undefined ? undefined : redact(said.message, endpoint.secrets),
    why: facts.why,
    capped: said !== undefined && SPEND_CAP.test(said.text.toLowerCase()),
    nothingThere: status === 404,
  });
  return {
    kind,
    message,
    detail: redact(facts.detail, endpoint.secrets),
    retryable: isRetryable(kind),
    ...(status !== undefined && { status }),
    ...(code && !holdsSecret(code, endpoint.secrets) && { code }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(action !== undefined && { action }),
  };
}

/** Of a gateway whose server behind it hung up or took too long: also what one does that is sent too much. */
const ORIGIN_FAILED: ReadonlySet<number> = new Set([500, 502, 504, 520, 521, 522, 523, 524]);

const SAYS_NOTHING =
  /^(error|bad request|invalid request|invalid_request_error|request failed|provider returned error|unknown error|none|null)?[.!]?$/i;
const SHORTEST_REASON = 12;

function isVague({ kind, status }: ModelError, { message }: ProviderError): boolean {
  if (status !== 400 || kind !== 'bad_request') return false;
  const words = message.trim();
  return words.length < SHORTEST_REASON || SAYS_NOTHING.test(words);
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  usage_limit_reached: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 408,
  overloaded_error: 529,
  server_is_overloaded: 529,
  slow_down: 529,
};

const CONNECTION_LOST =
  /connection (was )?(lost|reset|closed|aborted|error)|network error|socket hang up|premature|upstream|server disconnected|incomplete chunked read/;

function kindOfFrame(said: ProviderError): ModelErrorKind {
  const status = said.status ?? STATUS_OF_TYPE[said.type] ?? STATUS_OF_TYPE[said.code];
  if (status !== undefined && status >= 400) return kindOfRefusal(status, said.text, false);
  if (CONNECTION_LOST.test(said.text.toLowerCase())) return 'stream_cut';
  const refusal = kindOfRefusal(400, said.text, false);
  return refusal === 'bad_request' || refusal === 'unknown' ? kindOfRefusal(500, said.text, false) : refusal;
}

function isPage(body: string): boolean {
  return /^\s*(<!doctype|<html|<head|<body)/i.test(body);
}

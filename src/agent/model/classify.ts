/** Judges a failure: which kind it is, whether waiting helps, and what a person should do. */

import type { Endpoint, Failure } from './failure.ts';
import { isRetryable } from './hints.ts';
import { describeKind } from './kinds.ts';
import { networkKind } from './network-errors.ts';
import { type ProviderError, parseErrorText, providerError } from './provider-error.ts';
import { redact } from './redact.ts';
import { retryAfterMs } from './retry-after.ts';
import type { ModelError, ModelErrorKind } from './types.ts';

/** `now` is milliseconds since the epoch, for a `Retry-After` that is a date. Never throws. */
export function classify(failure: Failure, endpoint: Endpoint, now: number = Date.now()): ModelError {
  switch (failure.at) {
    case 'status': {
      const body = parseErrorText(failure.body);
      const said = providerError(body);
      const kind = kindOfStatus(failure.status, said, isHtml(failure.body));
      const requestId = failure.headers.get('x-request-id') ?? failure.headers.get('request-id');
      const detail = `HTTP ${failure.status}${requestId === null ? '' : ` (${requestId})`}: ${said.text || failure.body}`;
      return judge(kind, endpoint, { detail, status: failure.status, said }, retryAfterMs(failure.headers, body, now));
    }
    case 'body':
      return judge('not_json', endpoint, {
        detail: `HTTP ${failure.status} with ${failure.contentType || 'no content type'}: ${failure.body}`,
        status: failure.status,
      });
    case 'frame': {
      const said = providerError(failure.body);
      const detail = `Error in the stream: ${said.text}`;
      return judge(kindOfFrame(said), endpoint, { detail, said }, retryAfterMs(undefined, failure.body, now));
    }
    case 'cut':
      return judge('stream_cut', endpoint, { detail: failure.why });
    case 'silent': {
      const error = judge('timeout', endpoint, { detail: failure.why });
      return failure.gaveUp ? { ...error, retryable: false } : error;
    }
    case 'thrown': {
      const found = statusAlongCauses(failure.error);
      if (found !== undefined && !failure.afterHead) {
        const said = providerError({ message: String(failure.error) });
        return judge(kindOfStatus(found, said, false), endpoint, {
          detail: causesOf(failure.error),
          status: found,
          said,
        });
      }
      const { kind, retryable, why } = networkKind(failure.error, failure.afterHead);
      const error = judge(kind, endpoint, { detail: causesOf(failure.error), why });
      return retryable === undefined ? error : { ...error, retryable };
    }
    default:
      return failure satisfies never;
  }
}

interface Facts {
  readonly detail: string;
  readonly status?: number;
  readonly said?: ProviderError;
  readonly why?: string | undefined;
}

function judge(kind: ModelErrorKind, endpoint: Endpoint, facts: Facts, retryAfter?: number): ModelError {
  const { message, action } = describeKind(kind, endpoint, {
    said: facts.said === undefined ? undefined : redact(facts.said.message, endpoint.secrets),
    why: facts.why,
  });
  return {
    kind,
    message,
    detail: redact(facts.detail, endpoint.secrets),
    retryable: isRetryable(kind),
    ...(facts.status !== undefined && { status: facts.status }),
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...(action !== undefined && { action }),
  };
}

const POLICY =
  /content_filter|content[ _]policy|content management policy|responsibleaipolicyviolation|safety system|usage polic(y|ies)/;
const BILLING =
  /insufficient_quota|insufficient[ _](credits?|balance|funds)|credit balance|billing|payment required|exceeded your current quota|out of credits/;
const OVERFLOW =
  /context_length_exceeded|(maximum|max) context|context (window|length)|prompt is too long|input is too long|too many (input )?tokens|exceeds? the (available )?context|request too large|reduce the length/;
const NO_MODEL =
  /model_not_found|(model|deployment)\b.{0,80}(not (found|exist|available|supported)|does not exist|doesn't exist|unknown|invalid)|(unknown|invalid|no such|not a valid) model|not_found_error.{0,40}model/s;
const PARAMETER =
  /(unknown|unsupported|unrecognized|unexpected|invalid) (parameter|argument|field|value)|not supported with/;
const OVERLOADED = /overloaded|at capacity|capacity exceeded/;
const BAD_KEY = /invalid[ _]api[ _]?key|incorrect api key|api key not valid/;

/** The order matters: a refusal for its content stays one whatever status it came with. */
function kindOfStatus(status: number, said: ProviderError, html: boolean): ModelErrorKind {
  const text = said.text.toLowerCase();
  if (POLICY.test(text)) return 'content_policy';
  if (status >= 300 && status < 400) return 'not_json';
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  if (status === 403) return BILLING.test(text) ? 'billing' : html ? 'not_json' : 'auth';
  if (status === 404) return NO_MODEL.test(text) ? 'model_not_found' : html ? 'not_json' : 'bad_request';
  if (status === 408) return 'timeout';
  if (status === 413) return 'context_overflow';
  if (status === 429) return BILLING.test(text) ? 'billing' : OVERLOADED.test(text) ? 'overloaded' : 'rate_limit';
  if (status === 503 || status === 529) return 'overloaded';
  // A message about an unsupported `max_tokens` must not read as an overflow.
  if (PARAMETER.test(text)) return 'bad_request';
  if (OVERFLOW.test(text)) return 'context_overflow';
  if (status >= 500) return OVERLOADED.test(text) ? 'overloaded' : 'server';
  if (status < 400) return 'unknown';
  if (BAD_KEY.test(text)) return 'auth';
  if (BILLING.test(text)) return 'billing';
  if (NO_MODEL.test(text)) return 'model_not_found';
  return html ? 'not_json' : 'bad_request';
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 408,
  overloaded_error: 529,
};

const CONNECTION_LOST =
  /connection (was )?(lost|reset|closed|aborted|error)|network error|socket hang up|premature|upstream/;

function kindOfFrame(said: ProviderError): ModelErrorKind {
  const status = said.status ?? STATUS_OF_TYPE[said.type] ?? STATUS_OF_TYPE[said.code];
  if (status !== undefined && status >= 400) return kindOfStatus(status, said, false);
  if (CONNECTION_LOST.test(said.text.toLowerCase())) return 'stream_cut';
  return kindOfStatus(500, said, false);
}

const MAX_CAUSES = 5;

function statusAlongCauses(error: unknown): number | undefined {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof at === 'object' && at !== null; depth++) {
    const { status, cause } = at as { status?: unknown; cause?: unknown };
    if (typeof status === 'number' && status >= 300) return status;
    at = cause;
  }
  return undefined;
}

function causesOf(error: unknown): string {
  const links: string[] = [];
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at !== undefined && at !== null; depth++) {
    links.push(at instanceof Error ? `${at.name}: ${at.message}` : String(at));
    at = (at as { cause?: unknown }).cause;
  }
  return links.join(' ← ');
}

function isHtml(body: string): boolean {
  return /^\s*(<!doctype|<html|<head|<body)/i.test(body);
}

/** What goes wrong with Codex, in the kinds and words of every other model. */

import { describeKind } from '../failures/kinds.ts';
import { redact } from '../redact.ts';
import type { ModelError, ModelErrorKind } from '../types.ts';
import type { TurnError } from './protocol.ts';

/** Carries a judged failure up to the part that ends the answer. */
export class CodexFailure extends Error {
  readonly error: ModelError;

  constructor(error: ModelError) {
    super(error.message);
    this.name = 'CodexFailure';
    this.error = error;
  }
}

const ELSE = 'or choose another model; other providers do not need Codex.';

export function notFound(command: string): CodexFailure {
  return failure(
    'model_not_found',
    `Codex could not be started: there is no program "${command}". Your message is kept. Install it with "npm install -g @openai/codex", or name it as command of the provider in midcourse.providers, ${ELSE}`,
    `cannot start ${command}`,
    'midcourse.openSettings',
  );
}

export function notSignedIn(): CodexFailure {
  return failure(
    'auth',
    `Codex is not signed in. Your message is kept. Run "codex login" in a terminal and send again, ${ELSE}`,
    'account/read: no account, and the provider of Codex requires one',
    'midcourse.selectModel',
  );
}

/** @param said the last lines it wrote to its error output */
export function exited(how: string, said: string): CodexFailure {
  return failure(
    'stream_cut',
    `Codex ended in the middle of its work (${how}). What it did so far is kept, and what it had running was ended. Send "go on" to let it continue, ${ELSE}`,
    `codex app-server ended: ${how}; ${redact(said, [])}`,
    'midcourse.continueTurn',
  );
}

export function silent(method: string, seconds: number): CodexFailure {
  return failure(
    'timeout',
    `Codex did not react for ${seconds} seconds and was ended. What it did so far is kept. Send "go on" to start it anew, ${ELSE}`,
    `codex app-server did not answer ${method}`,
    'midcourse.continueTurn',
  );
}

export function interruptedByItself(): CodexFailure {
  return failure(
    'stream_cut',
    `Codex broke off its turn by itself. What it did so far is kept. Send "go on" to let it continue, ${ELSE}`,
    'turn/completed: interrupted',
    'midcourse.continueTurn',
  );
}

const KINDS: Readonly<Record<string, ModelErrorKind>> = {
  contextWindowExceeded: 'context_overflow',
  sessionBudgetExceeded: 'billing',
  usageLimitExceeded: 'billing',
  rateLimitExceeded: 'rate_limit',
  flexUnavailable: 'overloaded',
  serverOverloaded: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
  modelNotFound: 'model_not_found',
  inferenceHookDenied: 'content_policy',
  cyberPolicy: 'content_policy',
  bioPolicy: 'content_policy',
  misalignmentPolicyViolation: 'content_policy',
  httpConnectionFailed: 'network',
  responseStreamConnectionFailed: 'network',
  responseStreamDisconnected: 'stream_cut',
  responseTooManyFailedAttempts: 'server',
  internalServerError: 'server',
  unauthorized: 'auth',
  badRequest: 'bad_request',
};

/** A turn that Codex ended as failed. It has tried again by itself before, so nobody else does. */
export function turnFailed(error: TurnError | undefined, model: string): CodexFailure {
  const info = error?.codexErrorInfo;
  const name = typeof info === 'string' ? info : Object.keys(info ?? {})[0];
  const kind = (name === undefined ? undefined : KINDS[name]) ?? 'unknown';
  const said = redact(error?.message ?? '', []);
  const detail = redact(`turn failed: ${name ?? 'no code'}: ${said} ${error?.additionalDetails ?? ''}`, []).slice(
    0,
    2000,
  );
  if (kind === 'auth') return new CodexFailure({ ...notSignedIn().error, detail });
  const { message, action } = describeKind(kind, { host: 'Codex', model, hasKey: true, secrets: [] }, { said });
  return failure(kind, message, detail, action);
}

export function unexpected(error: unknown): CodexFailure {
  const said = redact(error instanceof Error ? error.message : String(error), []);
  return failure(
    'unknown',
    `Codex refused to work: ${said}. Your message is kept. Try again, ${ELSE}`,
    said,
    'midcourse.showLog',
  );
}

function failure(kind: ModelErrorKind, message: string, detail: string, action: string | undefined): CodexFailure {
  return new CodexFailure({ kind, message, detail, retryable: false, ...(action === undefined ? {} : { action }) });
}

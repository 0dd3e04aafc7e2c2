/** What Bedrock's errors are, which it tells apart by name and not only by status. */

import type { Failure } from '../../failures/failure.ts';
import type { ModelError } from '../../types.ts';
import type { WireResponse } from '../exchange/http.ts';
import type { BedrockEvent } from './client.ts';

/** By name in lower case: in the stream the first letter is small. */
const STATUS_OF_NAME: Readonly<Record<string, number>> = {
  validationexception: 400,
  accessdeniedexception: 403,
  expiredtokenexception: 403,
  unrecognizedclientexception: 403,
  resourcenotfoundexception: 404,
  modeltimeoutexception: 408,
  throttlingexception: 429,
  servicequotaexceededexception: 429,
  // The model is being loaded.
  modelnotreadyexception: 503,
  serviceunavailableexception: 503,
  internalserverexception: 500,
  modelerrorexception: 500,
  modelstreamerrorexception: 500,
};

/** An exception inside the stream. */
export function failureOfEvent({ name, body }: BedrockEvent): Failure {
  const { message, originalMessage, originalStatusCode } = (body ?? {}) as Partial<Record<string, unknown>>;
  const words = [message, originalMessage].filter((each) => typeof each === 'string' && each !== '').join(' · ');
  const original = typeof originalStatusCode === 'number' && originalStatusCode >= 400 ? originalStatusCode : undefined;
  const status = original ?? STATUS_OF_NAME[name.toLowerCase()] ?? 500;
  return { at: 'frame', body: { type: name, message: words, status } };
}

/** A refusal with its name in its body, where the classifier reads it, and the status that the name has for us. */
export async function named(response: WireResponse, readBody: () => Promise<string>): Promise<WireResponse> {
  const { ok, status, headers } = response;
  const name = headers.get('x-amzn-errortype')?.split(':')[0] ?? '';
  if (ok || name === '') return response;
  const body = await readBody();
  return new Response(JSON.stringify({ type: name, message: messageIn(body) }), {
    status: STATUS_OF_NAME[name.toLowerCase()] ?? status,
    headers,
  });
}

function messageIn(body: string): string {
  try {
    const { message, Message } = JSON.parse(body) as Partial<Record<string, unknown>>;
    return String(message ?? Message ?? body);
  } catch {
    return body;
  }
}

/** IAM allows the model, but not to stream its answers (`bedrock:InvokeModelWithResponseStream`). */
export function isStreamDenied(said: string): boolean {
  return /InvokeModelWithResponseStream/.test(said) && /not authorized|denied/i.test(said);
}

/** The model has no prompt cache. */
export function isCachePointRefused(said: string): boolean {
  return /cache_?point|(allow|support)[^.]{0,40}prompt caching|prompt caching[^.]{0,40}not/i.test(said);
}

const ADVICE = {
  access:
    'Your message is kept. In the Bedrock console, check that the account may use this model in this region, and that your role allows bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream for it; or choose another model.',
  missing:
    'found no AWS credentials. Your message is kept. Sign in with the AWS CLI, set the credentials in the environment or a profile, or set a Bedrock API key (Midcourse: Set API Key).',
  refused:
    'did not accept the credentials. Your message is kept. If they have expired, sign in again with the AWS CLI; or set a Bedrock API key (Midcourse: Set API Key), then send again.',
};

/** The other wires have a key and nothing else. Here it may be one of many kinds of credentials, or what they allow. */
export function explainBedrock(error: ModelError, model: string): ModelError {
  const denied = /AccessDenied|not authorized|access to the model/i.test(error.detail);
  if (denied && (error.kind === 'auth' || error.kind === 'model_not_found')) {
    return { ...error, message: `Amazon Bedrock does not let this account use ${model}. ${ADVICE.access}` };
  }
  if (error.kind !== 'auth') return error;
  const advice = /ProviderError/.test(error.detail) ? ADVICE.missing : ADVICE.refused;
  return { ...error, message: `Amazon Bedrock ${advice}` };
}

import type { Failure } from './failure.ts';

/** How libraries write the status of the answer that they throw as words. */
const STATUS =
  /\b(?:request failed|failed|server error|status(?: code)?|http(?: error| status)?|error code|response)\W{0,4}([45]\d\d)\b|^\W{0,2}([45]\d\d)\W/i;

/**
 * A failure of which nothing but words is left, such as that of another extension's model: they may hold the status and
 * the body of the answer that they are about. Judged as the server's own refusal would be.
 */
export function failureOfWords(words: string): Failure {
  const [, named, first] = STATUS.exec(words) ?? [];
  const status = named ?? first;
  const body = { message: words };
  if (status === undefined) return { at: 'frame', body };
  return { at: 'status', status: Number(status), headers: new Headers(), body: JSON.stringify(body) };
}

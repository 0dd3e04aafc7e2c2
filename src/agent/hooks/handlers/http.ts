import type { DeclaredHandler } from '../dialects/types.ts';
import { HookFailure } from '../types.ts';
import { withinLimit } from './limit.ts';
import type { HandlerRun } from './types.ts';
import { keptText } from './words.ts';

/** Bytes of an answer that are read. */
const BODY = 1024 * 1024;

/**
 * Posts the payload; the answer's body is read as a command's stdout.
 * Rejects with a `HookFailure`: `http` for no connection, a redirect and every status but 2xx, `timeout`, `aborted`.
 */
export async function runHttp(run: HandlerRun, handler: DeclaredHandler & { type: 'http' }): Promise<string> {
  const { declared, parts, signal, stdin } = run;
  const headers = Object.entries(handler.headers).map(([name, value]) => [
    name,
    filledIn(value, handler.allowedEnvVars, parts.environment),
  ]);
  return await withinLimit({ timeout: declared.timeout, signal, kind: 'http' }, async (until) => {
    const response = await fetch(handler.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
      body: JSON.stringify(stdin),
      // The payload was consented for this address and no other.
      redirect: 'manual',
      signal: until,
    });
    const body = await readBody(response);
    if (response.ok) return body;
    const moved = response.status >= 300 && response.status < 400 ? ' Redirects are not followed.' : '';
    throw new HookFailure('http', `${handler.url} answered with status ${response.status}.${moved}`, {
      stdout: keptText(body),
    });
  });
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY) throw new HookFailure('http', 'The answer is longer than 1 MB.', { stdout: keptText(text) });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** `$NAME` and `${NAME}`: of the variables that the hook may read; any other is empty. */
function filledIn(value: string, allowed: readonly string[], environment: NodeJS.ProcessEnv): string {
  return value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return allowed.includes(name) ? (environment[name] ?? '') : '';
  });
}

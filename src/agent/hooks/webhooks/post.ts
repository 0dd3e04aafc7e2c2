import http from 'node:http';
// Not by their names: the editor puts its proxy and its certificates into these very objects.
import https from 'node:https';

/** Bytes of an answer that are taken in before the connection is closed: nobody reads them. */
const ANSWER = 64 * 1024;

/**
 * Posts once. Redirects are not followed. Resolves with the status when the answer is over, too long or cut by `signal`;
 * rejects when there is none, also because `signal` aborted.
 */
export function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const sent = request(url, { method: 'POST', headers, signal, agent: false }, (response) => {
      let bytes = 0;
      const answered = () => resolve(response.statusCode ?? 0);
      // It has arrived, also where its answer never ends: it must not count as lost, and be sent again.
      signal.addEventListener('abort', answered, { once: true });
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER) response.destroy();
      });
      // The head has said all that counts.
      response.on('error', () => undefined);
      response.on('close', () => {
        signal.removeEventListener('abort', answered);
        answered();
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

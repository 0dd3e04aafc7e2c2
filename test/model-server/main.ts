/**
 * The fake model server as a process of its own: `node test/model-server/main.ts [port]`.
 * Prints `model server http://127.0.0.1:<port>` when it listens; ends on SIGTERM and SIGINT.
 */

import { ModelServer } from './server.ts';

const server = await ModelServer.start(Number(process.argv[2] ?? 0));
process.stdout.write(`model server ${server.origin}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.close().then(() => process.exit(0));
  });
}

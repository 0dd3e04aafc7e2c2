import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { WireResponse } from '../../../src/agent/model/wires/exchange/http.ts';
import { nodePost } from '../../../src/agent/model/wires/exchange/node-post.ts';

async function read({ body }: WireResponse): Promise<string> {
  return body === null ? '' : text(body);
}

describe('a POST over node:http', () => {
  let server: Server;
  let answer: RequestListener = () => {};
  const sockets = new Set<Socket>();
  const post = (body = '{}', signal = new AbortController().signal) =>
    nodePost({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?a=b`, headers: {}, body, signal });

  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('sends the whole body with its length, letters of several bytes too', async () => {
    let sent: Promise<[string | undefined, string]> | undefined;
    answer = (request, response) => {
      sent = text(request).then((body) => [request.headers['content-length'], body]);
      sent.then(() => response.end('ok'));
    };
    const body = '世界🙂'.repeat(200_000);
    assert.equal(await read(await post(body)), 'ok');
    assert.deepEqual(await sent, [String(Buffer.byteLength(body)), body]);
  });

  it('reads an answer that was compressed all the same', async () => {
    answer = (request, response) => {
      assert.equal(request.headers['accept-encoding'], 'identity');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('data: 1\n\n'));
    };
    assert.equal(await read(await post()), 'data: 1\n\n');
  });

  it('tells of a compressed answer that broke off', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('data: 1\n\n').subarray(0, 12));
      response.socket?.end();
    };
    const response = await post();
    await assert.rejects(read(response));
  });

  it('sends again when the server closed the kept connection that it was to use', async () => {
    let requests = 0;
    answer = (request, response) => {
      requests += 1;
      // The second one gets a connection that dies as it is used.
      if (requests === 2) return void request.socket.resetAndDestroy();
      response.end('ok');
    };
    assert.equal(await read(await post()), 'ok');
    assert.equal(await read(await post()), 'ok');
    assert.equal(requests, 3);
  });

  it('does not send again over a connection that was new', async () => {
    let requests = 0;
    answer = (request) => {
      requests += 1;
      request.socket.resetAndDestroy();
    };
    await assert.rejects(post(), { code: 'ECONNRESET' });
    assert.equal(requests, 1);
  });

  it('closes the socket at once when it is stopped, before the head and behind it', async () => {
    for (const early of [true, false]) {
      const stop = new AbortController();
      const closed = new Promise<void>((resolve) => {
        answer = (request, response) => {
          request.socket.on('close', () => resolve());
          if (early) stop.abort();
          else response.writeHead(200).write('data: 1\n\n');
        };
      });
      const answered = post('{}', stop.signal);
      if (early) await assert.rejects(answered, { name: 'AbortError' });
      else {
        await answered;
        stop.abort();
      }
      await closed;
    }
  });

  it('takes an answer that switches to another protocol as none', async () => {
    answer = (request) =>
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    await assert.rejects(post(), { code: 'ECONNRESET' });
  });

  it('keeps the connection for the next request once the answer was read', async () => {
    answer = (_request, response) => response.end('ok');
    for (let count = 0; count < 3; count++) await read(await post());
    assert.equal(sockets.size, 1);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { McpAuth, SignedIn } from '../../../src/agent/mcp/index.ts';
import { listenForRedirect } from '../../../src/agent/mcp/index.ts';
import { authorizationOf, renew, signIn } from '../../../src/agent/mcp/oauth/flow.ts';
import { ServersRig } from './server-rig.ts';
import { SignInServer } from './sign-in-server.ts';

describe('MCP servers over HTTP', () => {
  let server: SignInServer;
  let rig: ServersRig;
  let kept: SignedIn | undefined;

  const auth: McpAuth = {
    token: async (url) => (kept?.url === url ? kept.tokens.access_token : undefined),
    renew: async (_url, _refused, signal) => {
      kept = kept && (await renew(kept, signal));
      return kept?.tokens.access_token;
    },
  };

  beforeEach(async () => {
    server = await SignInServer.start();
    rig = new ServersRig({ auth });
    kept = undefined;
  });
  afterEach(async () => {
    await rig.close();
    server.close();
  });

  const signal = () => new AbortController().signal;

  async function signInAs(user: (address: URL) => Promise<void>): Promise<SignedIn> {
    const { state } = rig.server('web');
    assert.ok(state.is === 'needs_sign_in');
    const redirect = await listenForRedirect({ signedIn: 'Done.', refused: 'Not this.' });
    try {
      return await signIn({
        url: state.url,
        challenge: state.challenge,
        redirect,
        open: user,
        mayDiffer: async () => false,
        signal: signal(),
      });
    } finally {
      redirect.close();
    }
  }

  it('that ask for a sign-in wait for the user, and nothing is registered or opened until then', async () => {
    await rig.start({ web: { url: server.url } });
    assert.deepEqual(rig.server('web').state, {
      is: 'needs_sign_in',
      url: server.url,
      challenge: { metadataUrl: `${server.origin}/.well-known/oauth-protected-resource/mcp`, scope: 'tools' },
    });
    assert.deepEqual([...new Set(server.asked)], ['POST /mcp']);
    await assert.rejects(rig.call('web', 'whoami'), /waits for the user to sign in/);
  });

  it('work once the user has signed in in the browser', async () => {
    await rig.start({ web: { url: server.url } });
    kept = await signInAs((address) => server.agree(address));
    assert.equal(kept.issuer, new URL(server.origin).host);
    await rig.servers.startAllowed();
    assert.equal((await rig.call('web', 'whoami')).text, 'you');
  });

  it('whose token has run out get another one by themselves', async () => {
    await rig.start({ web: { url: server.url } });
    kept = await signInAs((address) => server.agree(address));
    await rig.servers.startAllowed();
    server.tokens.clear();
    assert.equal((await rig.call('web', 'whoami')).text, 'you');
    assert.equal(server.tokens.size, 1);
  });

  it('whose sign-in was taken back ask for another one, and the call says that it was not run', async () => {
    await rig.start({ web: { url: server.url } });
    kept = await signInAs((address) => server.agree(address));
    await rig.servers.startAllowed();
    server.tokens.clear();
    server.revoked = true;
    await assert.rejects(rig.call('web', 'whoami'), /sign in again. Nothing was run/);
    assert.equal(rig.state('web'), 'needs_sign_in');
    assert.equal(server.calls, 0);
  });

  it('take no answer of another sign-in, and go on with their own', async () => {
    await rig.start({ web: { url: server.url } });
    kept = await signInAs(async (address) => {
      const back = new URL(address.searchParams.get('redirect_uri') ?? '');
      back.search = '?code=stolen&state=other';
      assert.equal((await fetch(back)).status, 400);
      await server.agree(address);
    });
    await rig.servers.startAllowed();
    assert.equal((await rig.call('web', 'whoami')).text, 'you');
  });

  it('tell why the user is not signed in', async () => {
    await rig.start({ web: { url: server.url } });
    const signingIn = signInAs(async (address) => {
      const back = new URL(address.searchParams.get('redirect_uri') ?? '');
      back.search = `?error=access_denied&state=${address.searchParams.get('state')}`;
      await fetch(back);
    });
    await assert.rejects(signingIn, /did not succeed: access_denied/);
  });

  it('stop waiting for the browser when the user gives up', async () => {
    await rig.start({ web: { url: server.url } });
    const { state } = rig.server('web');
    assert.ok(state.is === 'needs_sign_in');
    const controller = new AbortController();
    const redirect = await listenForRedirect({ signedIn: 'Done.', refused: 'Not this.' });
    const open = async () => controller.abort(new Error('given up'));
    const { url, challenge } = state;
    await assert.rejects(
      signIn({ url, challenge, redirect, open, mayDiffer: async () => false, signal: controller.signal }),
      /given up/,
    );
    redirect.close();
  });

  it('say who signs people in', async () => {
    const found = await authorizationOf(server.url, {}, signal());
    assert.deepEqual(found, { server: server.origin, scopes: ['tools'] });
  });

  it('that were started again get a new session, and the call runs once', async () => {
    server.open = true;
    await rig.start({ web: { url: server.url } });
    server.sessions.clear();
    assert.equal((await rig.call('web', 'whoami')).text, 'you');
    assert.equal(server.calls, 1);
  });

  it('that are given a key by their definition and refuse it have failed', async () => {
    await rig.start({ web: { url: server.url, headers: { Authorization: 'Bearer wrong' } } });
    assert.equal(rig.state('web'), 'failed');
  });

  for (const type of ['application/json', 'text/event-stream']) {
    it(`whose answer (${type}) has no end are not listened to for ever`, async () => {
      const endless = createServer(async (request, response) => {
        const asked = JSON.parse((await text(request)) || '{}');
        if (asked.id === undefined) return response.writeHead(request.method === 'GET' ? 405 : 202).end();
        if (asked.method === 'tools/call') {
          response.writeHead(200, { 'content-type': type });
          response.write(type === 'application/json' ? '"' : 'data: "');
          await pipeline(Readable.from(endlessText()), response).catch(() => undefined);
          return;
        }
        const initialized = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'endless', version: '1' },
        };
        const result =
          asked.method === 'initialize' ? initialized : { tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }));
      }).listen(0, '127.0.0.1');
      await once(endless, 'listening');
      const { port } = endless.address() as AddressInfo;
      await rig.start({ web: { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer x' } } });
      await assert.rejects(rig.call('web', 'work'), /10 MB|Connection closed/);
      endless.closeAllConnections();
      endless.close();
    });
  }

  it('that are not there have failed, with the reason', async () => {
    const { url } = server;
    server.close();
    await rig.start({ web: { url } });
    const { state } = rig.server('web');
    assert.ok(state.is === 'failed');
    assert.match(state.why, /ECONNREFUSED/);
  });
});

function* endlessText(): Generator<string> {
  for (;;) yield 'x'.repeat(64 * 1024);
}

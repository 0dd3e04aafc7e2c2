import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  editorProviderOf,
  type Grant,
  isGranted,
  isOfProvider,
  maySend,
  wantedOf,
} from '../../src/agent/mcp/oauth/editor-account.ts';
import { fetchFor } from '../../src/agent/mcp/transport/http.ts';
import { ServersRig } from '../unit/mcp/server-rig.ts';

describe("the editor's own accounts", () => {
  const wanted = (url: string, scopes: readonly string[] = ['repo'], provider: 'github' | 'microsoft' = 'github') =>
    wantedOf(url, provider, scopes);

  it("B7a. a server of anybody that names GitHub or Microsoft is not the provider's own", () => {
    for (const url of [
      'https://evil.example/mcp',
      'https://api.githubcopilot.com.evil.example/mcp',
      'https://evilgithubcopilot.com/mcp',
      'https://githubcopilot.com.evil.example',
      'https://evil.github.io/mcp',
      'https://raw.githubusercontent.com/evil/x/mcp',
      'https://gist.github.com.evil.example',
      'https://api.githubcopilot.com:8443/mcp',
      'https://api.gıthubcopilot.com/mcp',
    ]) {
      assert.equal(isOfProvider(wanted(url)), false, url);
    }
    for (const url of [
      'https://evil.azurewebsites.net/mcp',
      'https://evil.westeurope.cloudapp.azure.com/mcp',
      'https://evil.azure-api.net/mcp',
      'https://graph.microsoft.com.evil.example/',
      'https://evil-cloud.microsoft.example/',
    ]) {
      assert.equal(isOfProvider(wanted(url, ['User.Read'], 'microsoft')), false, url);
    }
    assert.equal(isOfProvider(wanted('https://graph.microsoft.com/mcp')), false, 'another provider');
  });

  it("B7b. the provider's own servers need no question", () => {
    for (const url of ['https://api.githubcopilot.com/mcp/', 'https://api.business.githubcopilot.com/mcp/x'])
      assert.equal(isOfProvider(wanted(url)), true, url);
    for (const url of ['https://mcp.dev.azure.com/org', 'https://graph.microsoft.com/v1.0/mcp'])
      assert.equal(isOfProvider(wanted(url, [], 'microsoft')), true, url);
  });

  it('B7c. who signs people in is a provider by its exact host over https', () => {
    assert.equal(editorProviderOf('https://github.com/login/oauth'), 'github');
    assert.equal(editorProviderOf('https://login.microsoftonline.com/common/v2.0'), 'microsoft');
    for (const server of [
      'http://github.com/login/oauth',
      'https://github.com.evil.example/',
      'https://github.com:8443/',
      'https://x.github.com/',
      'no address',
    ]) {
      assert.equal(editorProviderOf(server), undefined, server);
    }
  });

  it('B7d. a server without encryption, also on this machine, is never given an account', () => {
    for (const url of ['http://evil.example/mcp', 'http://127.0.0.1:3000/mcp', 'http://api.githubcopilot.com/mcp']) {
      assert.throws(() => wanted(url), /over https only/, url);
    }
    assert.throws(() => wanted('https://github.com@evil.example/'), /over https only/);
  });

  it('B7e. more scopes than a person could read are refused', () => {
    assert.throws(
      () =>
        wanted(
          'https://evil.example/',
          Array.from({ length: 41 }, (_, index) => `s${index}`),
        ),
      /41/,
    );
    assert.throws(() => wanted('https://evil.example/', ['x'.repeat(301)]), /more permissions/);
  });

  it('B7f. an answer is for exactly one origin, provider and set of scopes', () => {
    const grant: Grant = { ...wanted('https://tools.example/mcp', ['b', 'a', 'a']), account: '1', by: 'person' };
    assert.equal(isGranted(wanted('https://tools.example/other', ['a', 'b']), grant), true);
    for (const other of [
      wanted('https://tools.example/mcp', ['a', 'b', 'c']),
      wanted('https://tools.example/mcp', ['a']),
      wanted('https://tools.example:444/mcp', ['a', 'b']),
      wanted('https://other.example/mcp', ['a', 'b']),
      wanted('https://tools.example/mcp', ['a', 'b'], 'microsoft'),
    ]) {
      assert.equal(isGranted(other, grant), false, JSON.stringify(other));
    }
  });

  it('B7g. the token of an account is sent to the origin that it was given to, over https', () => {
    const grant: Grant = { ...wanted('https://tools.example/mcp'), account: '1', by: 'person' };
    assert.equal(maySend(grant, 'https://tools.example/mcp/x'), true);
    for (const address of ['http://tools.example/mcp', 'https://evil.example/', 'https://tools.example:444/'])
      assert.equal(maySend(grant, address), false, address);
    assert.equal(maySend({ ...grant, by: 'provider' }, 'https://tools.example/mcp'), false, 'no longer a host of it');
  });
});

describe('the token of a server over HTTP', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** @returns its origin, and each request that it was sent */
  async function listen(answer: (request: IncomingMessage) => { status: number; headers?: Record<string, string> }) {
    const asked: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      asked.push(request);
      const { status, headers = {} } = answer(request);
      response.writeHead(status, headers).end();
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  const auth = { token: async () => 'the-token', renew: async () => 'another-token' };

  it('B7h. is not sent on when the server leads to another host, and neither are keys and input', async () => {
    const thief = await listen(() => ({ status: 200 }));
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await listen(() => ({ status, headers: { location: `${thief.origin}/mcp` } }));
      const rig = new ServersRig({ auth });
      await rig.start({ web: { url: `${server.origin}/mcp`, headers: { 'x-api-key': 'secret' } } });
      assert.equal(rig.state('web'), 'failed', String(status));
      assert.equal(server.asked[0]?.headers.authorization, 'Bearer the-token');
      await rig.close();
    }
    assert.deepEqual(
      thief.asked.map(({ url }) => url),
      [],
    );
  });

  it('B7i. is not sent to another origin that is asked for the server', async () => {
    const thief = await listen(() => ({ status: 401 }));
    const home = await listen(() => ({ status: 200 }));
    const asks = fetchFor({ url: `${home.origin}/mcp`, headers: {} }, auth);
    await asks(`${thief.origin}/mcp`, {});
    assert.equal(thief.asked.length, 1);
    assert.equal(thief.asked[0]?.headers.authorization, undefined);
    await asks(`${home.origin}/other`, {});
    assert.equal(home.asked[0]?.headers.authorization, 'Bearer the-token');
  });
});

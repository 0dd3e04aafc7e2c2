import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { answersSignIn, type Loopback, listenForRedirect } from '../../src/agent/mcp/index.ts';
import { signIn } from '../../src/agent/mcp/oauth/flow.ts';
import { SignInServer } from '../unit/mcp/sign-in-server.ts';

describe('the port that a sign-in waits at', () => {
  let loopback: Loopback;
  let answered: Promise<URL>;
  const ending = new AbortController();
  const state = 'the-state-of-this-sign-in';

  beforeEach(async () => {
    loopback = await listenForRedirect({ signedIn: 'Signed in.', refused: 'Not this one.' });
    answered = loopback.answer(state, ending.signal);
    answered.catch(() => undefined);
  });
  afterEach(() => loopback.close());

  /** As no `fetch` lets a page or a test do it: with any method, target and Host. */
  async function ask(
    target: string,
    options: { method?: string; host?: string; headers?: Record<string, string> } = {},
  ) {
    const { port } = new URL(loopback.uri);
    const { method = 'GET', host, headers = {} } = options;
    const all = host === undefined ? headers : { ...headers, host };
    const asking = request({ host: '127.0.0.1', port, path: target, method, headers: all, agent: false }).end();
    const [answer] = await once(asking, 'response');
    return { status: answer.statusCode as number, body: await text(answer) };
  }

  /** The sign-in has not ended: the right answer still does it. */
  async function stillWaits(): Promise<void> {
    const { status, body } = await ask(`/signed-in?code=right&state=${state}`);
    assert.deepEqual([status, body], [200, 'Signed in.']);
    assert.equal((await answered).searchParams.get('code'), 'right');
  }

  const attempts: readonly [string, string, string, Parameters<typeof ask>[1], number][] = [
    ['C5a', 'no state', '/signed-in?code=stolen', {}, 400],
    ['C5b', 'another state', '/signed-in?code=stolen&state=other', {}, 400],
    ['C5c', 'a state that begins alike', `/signed-in?code=stolen&state=${state}x`, {}, 400],
    ['C5d', 'two states', `/signed-in?code=stolen&state=other&state=${state}`, {}, 400],
    ['C5e', 'two codes', `/signed-in?code=stolen&code=other&state=${state}`, {}, 400],
    ['C5f', 'an error without the state', '/signed-in?error=access_denied', {}, 400],
    ['C5g', 'another path', `/?code=stolen&state=${state}`, {}, 404],
    ['C5h', 'a path around', `/x/../signed-in?code=stolen&state=${state}`, {}, 404],
    ['C5i', 'a whole address', `http://127.0.0.1/signed-in?code=stolen&state=${state}`, {}, 404],
    ['C5j', 'a form', `/signed-in?code=stolen&state=${state}`, { method: 'POST' }, 405],
    ['C5k', 'a preflight', `/signed-in?code=stolen&state=${state}`, { method: 'OPTIONS' }, 405],
    ['C5l', "a page's own name", `/signed-in?code=stolen&state=${state}`, { host: 'rebound.example' }, 421],
    ['C5m', 'another port', `/signed-in?code=stolen&state=${state}`, { host: '127.0.0.1:1' }, 421],
    ['C5n', 'endless headers', `/signed-in?state=${state}`, { headers: { cookie: 'x'.repeat(20_000) } }, 431],
  ];
  for (const [number, words, target, options, status] of attempts) {
    it(`${number}. a request to the port with ${words} is refused, and the sign-in continues`, async () => {
      assert.equal((await ask(target, options)).status, status);
      await stillWaits();
    });
  }

  it('C5o. an answer that comes again is refused', async () => {
    await stillWaits();
    assert.equal((await ask(`/signed-in?code=again&state=${state}`)).status, 400);
    assert.equal((await answered).searchParams.get('code'), 'right');
  });

  it('C5p. a program that holds a hundred connections does not keep the browser out', async () => {
    const { port } = new URL(loopback.uri);
    const held = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    await stillWaits();
    for (const socket of held) socket.destroy();
  });

  it('C5q. a refusal of the person counts only with the state', async () => {
    assert.equal((await ask(`/signed-in?error=access_denied&state=wrong`)).status, 400);
    assert.equal((await ask(`/signed-in?error=access_denied&state=${state}`)).status, 200);
    assert.equal((await answered).searchParams.get('error'), 'access_denied');
  });

  it("C5r. an address of the editor's own scheme answers by the same rule", () => {
    const uri = (query: string) => new URL(`vscode://midcourse.midcourse/signed-in?${query}`);
    assert.equal(answersSignIn(uri(`code=x&state=${state}`), state), true);
    for (const query of ['', 'code=x', 'code=x&state=other', `code=x&state=&state=${state}`, `error=x`]) {
      assert.equal(answersSignIn(uri(query), state), false, query);
    }
  });

  it('C5s. nothing answers before the state is known', async () => {
    const early = await listenForRedirect({ signedIn: 'Signed in.', refused: 'Not this one.' });
    const answer = await fetch(`${early.uri}?code=early&state=`);
    assert.equal(answer.status, 400);
    early.close();
  });
});

describe('a sign-in that a server leads', () => {
  let server: SignInServer;
  let opened: string[];

  beforeEach(async () => {
    server = await SignInServer.start();
    opened = [];
  });
  afterEach(() => server.close());

  /** As the editor signs in, with a browser that agrees to everything. */
  async function attempt(differ: string[] = [], agrees = false): Promise<unknown> {
    const redirect = await listenForRedirect({ signedIn: 'Signed in.', refused: 'Not this one.' });
    try {
      return await signIn({
        url: server.url,
        challenge: {},
        redirect,
        mayDiffer: async (page, receiver) => {
          differ.push(`${page} for ${receiver}`);
          return agrees;
        },
        open: async (address) => {
          opened.push(address.href);
          await server.agree(address);
        },
        signal: AbortSignal.timeout(10_000),
      });
    } finally {
      redirect.close();
    }
  }

  const unsafe: readonly [string, string, string, RegExp][] = [
    ['B7p', 'a file', 'file:///etc/passwd', /not encrypted/],
    ['B7q', 'a page without encryption', 'http://sign-in.example/authorize', /not encrypted/],
    ['B7r', "another program's address", 'vscode://evil.extension/run', /not encrypted/],
    ['B7s', 'a page with a name before its host', 'https://github.com@evil.example/authorize', /a name or a password/],
  ];
  for (const [number, words, address, why] of unsafe) {
    it(`${number}. ${words} as the page to sign in at is never opened`, async () => {
      server.metadata = { authorization_endpoint: address };
      await assert.rejects(attempt(), why);
      assert.deepEqual(opened, []);
    });
  }

  it("B7t. somebody else's page whose answer goes to the server is asked about, and not opened by itself", async () => {
    server.metadata = { authorization_endpoint: 'https://accounts.honest.example/authorize' };
    const differ: string[] = [];
    await assert.rejects(attempt(differ), /did not agree/);
    assert.deepEqual(differ, [`accounts.honest.example for ${new URL(server.origin).host}`]);
    assert.deepEqual(opened, []);
  });

  it('B7u. a token address where clouds keep their keys is never asked', async () => {
    server.metadata = { token_endpoint: 'http://169.254.169.254/latest/meta-data' };
    await assert.rejects(attempt([], true), /169\.254\.169\.254, which is not encrypted/);
    assert.ok(!server.asked.includes('POST /token'));
  });

  it('B7v. an answer that names another server than the one that was asked is refused (RFC 9207)', async () => {
    server.issuerOfAnswers = 'https://other.example';
    await assert.rejects(attempt(), /comes from another server/);
    assert.ok(!server.asked.includes('POST /token'), 'the code was given away');
  });

  it('B7w. an answer without the name that its server promised is refused', async () => {
    server.metadata = { authorization_response_iss_parameter_supported: true };
    await assert.rejects(attempt(), /comes from another server/);
    assert.ok(!server.asked.includes('POST /token'));
  });

  it('B7x. the name of the server that was asked is taken', async () => {
    server.metadata = { authorization_response_iss_parameter_supported: true };
    server.issuerOfAnswers = server.origin;
    assert.ok(await attempt());
  });

  it('B7y. metadata of another resource is not used', async () => {
    server.resource = 'https://bank.example/mcp';
    await assert.rejects(attempt(), /does not match expected/);
    assert.deepEqual(opened, []);
  });
});

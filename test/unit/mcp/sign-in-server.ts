import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An MCP server over HTTP that asks for a sign-in, together with the authorization server that it names: registration,
 * authorization code with PKCE, refresh tokens that are used once. It notes what it was asked.
 */
export class SignInServer {
  readonly #server: Server;
  readonly origin: string;
  /** Path and method of each request. */
  readonly asked: string[] = [];
  readonly tokens = new Set<string>();
  readonly #refresh = new Set<string>();
  readonly #codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  readonly #clients = new Map<string, readonly string[]>();
  /** No sign-in is asked for, and the older protocol is spoken. */
  open = false;
  /** Refuses the next refresh, as when the user took back what they had granted. */
  revoked = false;
  /** Sessions that the server has forgotten when it was started again. */
  sessions = new Set<string>();
  calls = 0;
  /** What its authorization server says otherwise of itself. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** `iss` of the browser's answers. */
  issuerOfAnswers: string | undefined;
  /** The resource that its metadata is about; its own by default. */
  resource: string | undefined;

  static async start(): Promise<SignInServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SignInServer(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** What a browser does with the page that it is sent to, for a user who agrees. */
  async agree(address: URL): Promise<void> {
    const page = await fetch(address, { redirect: 'manual' });
    const location = page.headers.get('location');
    if (location === null) throw new Error(`refused: ${page.status} ${await page.text()}`);
    await fetch(location);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    this.asked.push(`${request.method} ${url.pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const json = (value: unknown, status = 200, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case '/mcp':
        return this.#mcp(request, response, body, json);
      case '/.well-known/oauth-protected-resource/mcp':
        return json({
          resource: this.resource ?? this.url,
          authorization_servers: [this.origin],
          scopes_supported: ['tools'],
        });
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          registration_endpoint: `${this.origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          ...this.metadata,
        });
      case '/register': {
        const client = JSON.parse(body);
        const id = randomUUID();
        this.#clients.set(id, client.redirect_uris);
        return json({ ...client, client_id: id }, 201);
      }
      case '/authorize':
        return this.#authorize(url.searchParams, response);
      case '/token':
        return this.#token(new URLSearchParams(body), json);
      default:
        return json({ error: 'not found' }, 404);
    }
  }

  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    const redirect = asked.get('redirect_uri') ?? '';
    const known = this.#clients.get(asked.get('client_id') ?? '')?.includes(redirect);
    if (!known || asked.get('code_challenge_method') !== 'S256' || asked.get('resource') !== this.url) {
      response.writeHead(400).end('bad request');
      return;
    }
    const code = randomUUID();
    this.#codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirect });
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (this.issuerOfAnswers !== undefined) back.searchParams.set('iss', this.issuerOfAnswers);
    response.writeHead(302, { location: back.href }).end();
  }

  #token(asked: URLSearchParams, json: (value: unknown, status?: number) => void): void {
    if (asked.get('grant_type') === 'refresh_token') {
      if (this.revoked || !this.#refresh.delete(asked.get('refresh_token') ?? ''))
        return json({ error: 'invalid_grant' }, 400);
      return json(this.#grant());
    }
    const code = this.#codes.get(asked.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (code?.challenge !== verifier || code.redirect !== asked.get('redirect_uri'))
      return json({ error: 'invalid_grant' }, 400);
    json(this.#grant());
  }

  #grant() {
    const token = `token-${randomUUID()}`;
    const refresh = `refresh-${randomUUID()}`;
    this.tokens.add(token);
    this.#refresh.add(refresh);
    return { access_token: token, token_type: 'Bearer', refresh_token: refresh, scope: 'tools' };
  }

  #mcp(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
    json: (value: unknown, status?: number, headers?: object) => void,
  ): void {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!this.open && !this.tokens.has(token)) {
      const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
      return json({ error: 'sign in' }, 401, {
        'www-authenticate': `Bearer resource_metadata="${metadata}", scope="tools"`,
      });
    }
    if (request.method !== 'POST') return json({}, 405);
    const { id, method } = JSON.parse(body);
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (method !== 'initialize' && !this.sessions.has(session)) return json({ error: 'no such session' }, 404);
    if (id === undefined) return void response.writeHead(202).end();
    const result = (value: object, headers = {}) => json({ jsonrpc: '2.0', id, result: value }, 200, headers);
    switch (method) {
      case 'initialize': {
        const fresh = randomUUID();
        this.sessions.add(fresh);
        const server = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'http', version: '1' },
        };
        return result(server, { 'mcp-session-id': fresh });
      }
      case 'tools/list':
        return result({ tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] });
      default:
        this.calls += 1;
        return result({ content: [{ type: 'text', text: 'you' }] });
    }
  }
}

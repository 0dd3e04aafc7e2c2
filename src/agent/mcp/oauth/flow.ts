/** Signing in to a server over HTTP: authorization code with PKCE, the client registered on the spot (RFC 7591, 9728). */

import { randomBytes } from 'node:crypto';
import {
  auth,
  discoverOAuthProtectedResourceMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { bounded, type Challenge } from '../transport/http.ts';
import { endpointProblem, isSameParty } from './endpoints.ts';
import { type SignedIn, signedInSchema } from './signed-in.ts';

export interface Redirect {
  /** Where the browser comes back to. */
  readonly uri: string;
  /** Resolves with the first address that it came back with with this state. Rejects when `signal` aborts. */
  answer(state: string, signal: AbortSignal): Promise<URL>;
}

export interface SignInRequest {
  readonly url: string;
  readonly challenge: Challenge;
  readonly redirect: Redirect;
  /**
   * Asked before the browser is opened at one host while another one gets its answer, which is how a server would have
   * somebody else's sign-in made for it. False: nothing is opened.
   */
  mayDiffer(page: string, receiver: string): Promise<boolean>;
  /** Opens the browser. */
  open(address: URL): Promise<void>;
  readonly signal: AbortSignal;
}

/** @throws Error in words when the server cannot sign people in, or the user did not */
export async function signIn({ url, challenge, redirect, mayDiffer, open, signal }: SignInRequest): Promise<SignedIn> {
  // Registered anew each time: the address to come back to is another one.
  const provider = new Provider({ redirectUrl: redirect.uri });
  const options = optionsOf(url, challenge, signal);
  await auth(provider, options);
  const { address } = provider;
  if (!address) throw new Error('The server that signs people in named no page for it.');
  const problem = endpointProblem(address, url);
  if (problem !== undefined) throw new Error(problem);
  const receiver = provider.receiver(url);
  if (!isSameParty(address.hostname, receiver.hostname) && !(await mayDiffer(address.host, receiver.host)))
    throw new Error(`You did not agree to sign in at ${address.host} for ${receiver.host}.`);
  const answer = redirect.answer(provider.state(), signal);
  // Whoever stops waiting for the browser also stops waiting for its answer.
  answer.catch(() => undefined);
  await open(address);
  const { searchParams } = await answer;
  provider.checkIssuer(searchParams.get('iss'));
  const code = searchParams.get('code');
  if (code === null) throw new Error(refusal(searchParams));
  await auth(provider, { ...options, authorizationCode: code });
  return provider.signedIn(url);
}

/** Other tokens by the refresh token; undefined when only a person can get them. */
export async function renew(signedIn: SignedIn, signal: AbortSignal): Promise<SignedIn | undefined> {
  if (signedIn.tokens.refresh_token === undefined) return undefined;
  const provider = new Provider({ signedIn });
  try {
    const result = await auth(provider, optionsOf(signedIn.url, {}, signal));
    return result === 'AUTHORIZED' ? provider.signedIn(signedIn.url) : undefined;
  } catch {
    // It was taken back, or the server cannot be reached: the server's own answer is what counts then.
    return undefined;
  }
}

/**
 * The address of the server that signs people in, and the scopes that are to be asked for, as the MCP server says. Only
 * the MCP server is asked; one that names nobody signs people in itself.
 */
export async function authorizationOf(url: string, challenge: Challenge, signal: AbortSignal) {
  const { fetchFn, resourceMetadataUrl } = optionsOf(url, challenge, signal);
  const options = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  const found = await discoverOAuthProtectedResourceMetadata(url, options, fetchFn).catch((error: unknown) => {
    if (error instanceof RefusedEndpoint) throw error;
    signal.throwIfAborted();
    // It says nothing of it.
    return undefined;
  });
  return {
    server: found?.authorization_servers?.[0] ?? new URL('/', url).href,
    scopes: challenge.scope?.split(' ').filter((scope) => scope !== '') ?? found?.scopes_supported ?? [],
  };
}

/** Nothing was sent there. */
class RefusedEndpoint extends Error {}

function optionsOf(url: string, { metadataUrl, scope }: Challenge, signal: AbortSignal) {
  return {
    serverUrl: url,
    fetchFn: async (address: string | URL, init?: RequestInit) => {
      const problem = endpointProblem(new URL(address), url);
      if (problem !== undefined) throw new RefusedEndpoint(problem);
      return bounded(await fetch(address, { ...init, signal }));
    },
    ...(metadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(metadataUrl) }),
    ...(scope === undefined ? {} : { scope }),
  };
}

function refusal(answer: URLSearchParams): string {
  const why = answer.get('error_description') ?? answer.get('error') ?? 'it gave no code';
  return `The sign-in did not succeed: ${why}.`;
}

/** What one sign-in, or one renewal, knows. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl: string;
  /** The page to sign in on, once it is known. */
  address: URL | undefined;
  readonly #state = randomBytes(24).toString('base64url');
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';

  constructor({ redirectUrl = 'http://127.0.0.1/', signedIn }: { redirectUrl?: string; signedIn?: SignedIn }) {
    this.redirectUrl = redirectUrl;
    if (!signedIn) return;
    this.#client = signedIn.client;
    this.#tokens = signedIn.tokens;
    this.#discovery = signedIn.discovery as OAuthDiscoveryState | undefined;
  }

  get clientMetadata() {
    return {
      client_name: 'Midcourse',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(address: URL): void {
    this.address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /**
   * The answer has to come from the server that was asked (RFC 9207), which has to be who it says (RFC 8414, 3.3).
   *
   * @throws Error in words
   */
  checkIssuer(given: string | null): void {
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = this.#discovery ?? {};
    if (!metadata || authorizationServerUrl === undefined) return;
    const { authorization_response_iss_parameter_supported: saysIt = false }: { [field: string]: unknown } = metadata;
    if (given === null ? saysIt === true : given !== metadata.issuer)
      throw new Error('The answer comes from another server than the one that was asked to sign you in.');
  }

  /** Who is given the browser's answer. */
  receiver(url: string): URL {
    const { authorizationServerUrl = new URL('/', url).href, authorizationServerMetadata: metadata } =
      this.#discovery ?? {};
    return metadata ? new URL(metadata.token_endpoint) : new URL('/token', authorizationServerUrl);
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  signedIn(url: string): SignedIn {
    const issuer = this.#discovery?.authorizationServerUrl ?? url;
    return signedInSchema.parse({
      url,
      issuer: new URL(issuer).host,
      client: this.#client,
      tokens: this.#tokens,
      discovery: this.#discovery,
    });
  }
}

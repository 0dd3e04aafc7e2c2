/**
 * What of the AWS SDK this wire uses: where credentials and region come from, how a request is signed, and how the
 * binary event stream is decoded. The request itself goes out as those of all wires do, and is never tried again by the
 * SDK.
 */

import type { BedrockRuntimeClient, BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime';
import { ModelFailure } from '../../failures/failure.ts';
import { post, type WireOptions, type WireResponse } from '../exchange/http.ts';
import { failureOfEvent } from './errors.ts';

export interface BedrockOptions extends WireOptions {
  /** By default that of the address, of the environment or the AWS profile, or `us-east-1`. */
  readonly region?: string;
  /** By default the SDK's chain: environment, profiles, single sign-on, roles. Not looked at with an `apiKey`. */
  readonly credentials?: NonNullable<BedrockRuntimeClientConfig['credentials']>;
}

export interface BedrockEvent {
  /** Such as `contentBlockDelta`. */
  readonly name: string;
  readonly body: unknown;
}

const DEFAULT_REGION = 'us-east-1';
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

export type Operation = 'converse-stream' | 'converse';

export class BedrockClient {
  readonly #options: BedrockOptions;
  #loading: Promise<Loaded> | undefined;

  constructor(options: BedrockOptions) {
    this.#options = options;
  }

  /**
   * Signs and sends. Rejects at once when `signal` is aborted, also while credentials are looked for.
   *
   * @throws ModelFailure without credentials
   */
  async send(operation: Operation, modelId: string, body: string, signal: AbortSignal): Promise<WireResponse> {
    signal.throwIfAborted();
    const sent = this.#send(operation, modelId, body, signal);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([sent, aborted]);
  }

  /** The events of an answer's body. An exception among them is thrown as a `ModelFailure`. */
  async readEvents(): Promise<(response: WireResponse) => AsyncIterable<BedrockEvent>> {
    const { client } = await this.#load();
    return ({ body }) => decoded(client, body);
  }

  async #send(operation: Operation, modelId: string, body: string, signal: AbortSignal): Promise<WireResponse> {
    const { sdk, client } = await this.#load();
    const Command = operation === 'converse' ? sdk.ConverseCommand : sdk.ConverseStreamCommand;
    // Of both only the address and the signature are used.
    const command = new Command({ modelId }) as InstanceType<typeof sdk.ConverseStreamCommand>;
    let answer: WireResponse | undefined;
    // The body is written here: the SDK would put its fields in an order in which no request begins like the one before.
    command.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as SignedRequest, { body });
        return next(args);
      },
      { name: 'writtenBody', step: 'build', priority: 'high' },
    );
    command.middlewareStack.add(
      () => async (args) => {
        signal.throwIfAborted();
        answer = await this.#post(args.request as SignedRequest, body, signal);
        return { response: answer, output: { $metadata: {} } as never };
      },
      { name: 'ownRequest', step: 'finalizeRequest', priority: 'low' },
    );
    try {
      await client.send(command);
    } catch (error) {
      throw isMissingCredentials(error) ? new ModelFailure(withoutCredentials(error)) : error;
    }
    if (answer === undefined) throw new Error('The AWS SDK sent nothing.');
    return answer;
  }

  #post(request: SignedRequest, body: string, signal: AbortSignal): Promise<WireResponse> {
    const { protocol, hostname, port, path } = request;
    // Both are set where it is sent, to the values that were signed.
    const { host: _host, 'content-length': _length, ...headers } = request.headers;
    const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
    return post(this.#options, url, { accept: EVENT_STREAM, ...headers }, body, signal);
  }

  #load(): Promise<Loaded> {
    this.#loading ??= load(this.#options);
    return this.#loading;
  }
}

interface Loaded {
  readonly sdk: typeof import('@aws-sdk/client-bedrock-runtime');
  readonly client: BedrockRuntimeClient;
}

interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function load({ baseUrl, apiKey, credentials, region }: BedrockOptions): Promise<Loaded> {
  const sdk = await import('@aws-sdk/client-bedrock-runtime');
  const config: BedrockRuntimeClientConfig = {
    maxAttempts: 1,
    // What the requests go out by.
    requestHandler: { metadata: { handlerProtocol: 'http/1.1' }, handle: unused },
    ...(baseUrl !== undefined && { endpoint: baseUrl }),
    ...(apiKey === undefined
      ? credentials !== undefined && { credentials }
      : { token: { token: apiKey }, authSchemePreference: ['httpBearerAuth'] }),
  };
  const wanted = region ?? regionOf(baseUrl);
  if (wanted !== undefined) return { sdk, client: new sdk.BedrockRuntimeClient({ ...config, region: wanted }) };
  const client = new sdk.BedrockRuntimeClient(config);
  const found = await client.config.region().catch(() => undefined);
  return {
    sdk,
    client: found === undefined ? new sdk.BedrockRuntimeClient({ ...config, region: DEFAULT_REGION }) : client,
  };
}

/** Of an address of AWS's own, such as `https://bedrock-runtime.eu-west-1.amazonaws.com`. */
function regionOf(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  return /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/.exec(
    new URL(baseUrl).hostname,
  )?.[1];
}

async function unused(): Promise<never> {
  throw new Error('Requests do not go through the handlers of the AWS SDK.');
}

function isMissingCredentials(error: unknown): error is Error {
  return error instanceof Error && /^(Credentials|Token)ProviderError$/.test(error.name);
}

function withoutCredentials(error: Error): ConstructorParameters<typeof ModelFailure>[0] {
  const { name: type, message } = error;
  return { at: 'status', status: 401, headers: new Headers(), body: JSON.stringify({ type, message }) };
}

async function* decoded(client: BedrockRuntimeClient, body: WireResponse['body']): AsyncGenerator<BedrockEvent, void> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const events = client.config.eventStreamMarshaller.deserialize(body, async (input) => {
    const [entry] = Object.entries(input);
    if (entry === undefined) return { $unknown: input };
    const [name, { headers, body: bytes }] = entry;
    const event: BedrockEvent = { name, body: parsed(decoder.decode(bytes)) };
    const isException = headers[':message-type']?.value === 'exception';
    return { [name]: isException ? new ModelFailure(failureOfEvent(event)) : event };
  });
  try {
    for await (const event of events) yield* Object.values(event) as BedrockEvent[];
  } catch (error) {
    throw isUnmodelled(error) ? new ModelFailure(failureOfEvent({ name: error.name, body: error })) : error;
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return { message: text };
  }
}

/** The decoder names an error that the stream carries after its code. What it throws itself has the platform's names. */
function isUnmodelled(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ModelFailure) && /Exception$|^Internal/.test(error.name);
}

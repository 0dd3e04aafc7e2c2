/** A rig with several providers, keys and a fallback chain, by the real routes; waits of a back-off pass at once. */

import type { KeyStrategy, ModelWire } from '../../src/agent/model/index.ts';
import { createOpenAiChatWire, ModelRoutes, type RouteSource } from '../../src/agent/model/index.ts';
import type { AgentSettings, LiveSession } from '../../src/agent/turn/index.ts';
import type { Clock, ResolvedModel } from '../../src/agent/turn/types.ts';
import type { SessionEvent, TurnResult } from '../../src/api.ts';
import type { ModelServer, RecordedRequest, Script } from '../model-server/index.ts';
import { Rig } from '../unit/turn/rig.ts';

export interface Routes {
  /** By provider. One that is not named has the key `key`. */
  keys: Readonly<Record<string, readonly string[]>>;
  fallbacks: readonly string[];
  /** Changes of models, by reference. */
  models: Readonly<Record<string, Partial<ResolvedModel>>>;
  strategy: KeyStrategy;
}

export const CHOSEN = 'first/alpha';

/** Milliseconds above which a timer that begins in a back-off is the back-off's. */
const SHORTEST_WAIT = 1_500;

export class FailureRig {
  readonly routes: Routes = { keys: {}, fallbacks: [], models: {}, strategy: 'fill_first' };
  /** Waits before the same request came again, in milliseconds. */
  readonly waits: number[] = [];
  readonly learned: { readonly ref: string; readonly contextWindow?: number; readonly maxOutput?: number }[] = [];
  readonly log: string[] = [];
  /** How often the keys of a provider were read again past what is remembered. */
  rereads = 0;
  models: ModelRoutes | undefined;
  /** Waited for before a model is opened. */
  beforeOpening: (ref: string) => Promise<void> | undefined = () => undefined;
  readonly #wires = new Map<string, ModelWire>();
  #passed = 0;
  #rig: Rig | undefined;
  #session: LiveSession | undefined;

  static async start(settings: Partial<AgentSettings> = {}): Promise<FailureRig> {
    const failures = new FailureRig();
    failures.#rig = await Rig.start('openai-chat', settings, (server) => failures.#ports(server));
    failures.#session = failures.rig.agent.create();
    return failures;
  }

  get rig(): Rig {
    if (!this.#rig) throw new Error('not started');
    return this.#rig;
  }

  get session(): LiveSession {
    if (!this.#session) throw new Error('not started');
    return this.#session;
  }

  async turn(text: string, ...scripts: Script[]): Promise<TurnResult> {
    this.rig.server.script(...scripts);
    const { turnId } = this.session.send(text);
    return await this.session.settled(turnId);
  }

  /** `key model` of each request. */
  asked(): readonly string[] {
    return this.rig.server.requests.map((request) => `${keyOf(request)} ${modelOf(request)}`);
  }

  notices(kind: string): readonly string[] {
    return this.session
      .events(0)
      .flatMap((event: SessionEvent) => (event.type === 'notice' && event.kind === kind ? [event.text] : []));
  }

  /** Lets time pass for keys and models that rest. */
  pass(ms: number): void {
    this.#passed += ms;
  }

  #ports(server: ModelServer) {
    const clock: Clock = { now: () => Date.now() + this.#passed, after: (ms, callback) => this.#after(ms, callback) };
    const say = (message: string) => void this.log.push(message);
    const log = { debug: say, info: say, warn: say, error: (message: string) => console.error(message) };
    this.models = new ModelRoutes(this.#source(server, clock));
    return { models: this.models, clock, log };
  }

  #after(ms: number, callback: () => void): () => void {
    if (ms >= SHORTEST_WAIT && this.#session?.phase === 'backoff') {
      this.waits.push(ms);
      this.#passed += ms;
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  }

  #source(server: ModelServer, { now }: Clock): RouteSource {
    return {
      chosen: async () => CHOSEN,
      keys: async (provider, reread) => {
        if (reread) this.rereads += 1;
        return this.routes.keys[provider] ?? ['key'];
      },
      open: async (ref, key) => {
        await this.beforeOpening(ref);
        return {
          ref,
          label: nameOf(ref),
          wire: this.#wire(server, ref, key),
          model: nameOf(ref),
          contextWindow: 100_000,
          maxOutput: 4096,
          vision: true,
          ...this.routes.models[ref],
        };
      },
      fallbacks: () => this.routes.fallbacks,
      strategyOf: () => this.routes.strategy,
      backendOf: (ref) => ref.slice(0, ref.indexOf('/')),
      learn: (ref, limits) => void this.learned.push({ ref, ...limits }),
      now,
      random: () => 0,
    };
  }

  #wire(server: ModelServer, ref: string, key: string | undefined): ModelWire {
    const slot = `${ref.slice(0, ref.indexOf('/'))} ${key}`;
    const wire =
      this.#wires.get(slot) ??
      createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, ...(key === undefined ? {} : { apiKey: key }) });
    this.#wires.set(slot, wire);
    return wire;
  }
}

export function modelOf({ body }: RecordedRequest): string {
  return String((body as { model?: unknown }).model);
}

export function keyOf({ headers }: RecordedRequest): string {
  return String(headers.authorization).replace('Bearer ', '');
}

function nameOf(ref: string): string {
  return ref.slice(ref.indexOf('/') + 1);
}

export const answer = (text: string, usage?: { input: number; output: number }): Script => ({
  steps: [...(usage ? [{ usage }] : []), { text }],
});

export const refusal = (
  status: number,
  message: string,
  more: object = {},
  headers: Record<string, string> = {},
): Script => ({
  status,
  body: { error: { message, ...more } },
  headers,
});

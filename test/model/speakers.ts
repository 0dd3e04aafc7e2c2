/** Everybody a conversation can be continued with: each dialect of Chat Completions, and the other APIs. */

import type { ModelMessage, ModelRequest, ModelWire } from '../../src/agent/model/types.ts';
import { openWire } from '../../src/editor/wires.ts';
import { DIALECT_HEADER, DIALECTS } from '../model-server/dialects/index.ts';
import type { ModelServer } from '../model-server/index.ts';
import { WIRES } from '../unit/model/wire-fixture.ts';
import { providersOf, routeOf } from './route-rig.ts';

export interface Speaker {
  readonly name: string;
  readonly model: string;
  /** Its wire as the editor opens it, with every address leading to that server. */
  open(server: Pick<ModelServer, 'origin'>, send?: typeof fetch): Promise<ModelWire>;
}

/** One that is talked to by its own API, with one that has the strictest rules of it. */
const MODELS: Readonly<Record<string, string>> = {
  openai: 'gpt-5.2',
  azure: 'gpt-5.2',
  copilot: 'gpt-5-mini',
  mistral: 'devstral-latest',
  minimax: 'MiniMax-M2.7',
  xai: 'grok-4.7',
  opencode: 'kimi-k3',
  openrouter: 'mistralai/devstral-medium',
  ollama: 'qwen3',
  lmstudio: 'qwen3',
  vllm: 'qwen3',
};

/** Those that speak another API first, or where everybody has an address of their own. */
const SETTINGS: Readonly<Record<string, object>> = {
  openai: { api: 'openai-chat' },
  azure: { baseUrl: 'https://mine.openai.azure.com/openai/v1' },
  minimax: { api: 'openai-chat', baseUrl: 'https://api.minimax.io/v1' },
  xai: { api: 'openai-chat' },
  copilot: { api: 'openai-chat' },
};

/** @param more what the settings say of providers beside that */
export function speaker(name: string, model?: string, more: object = {}): Speaker {
  const providers = providersOf({ providers: { [name]: { ...SETTINGS[name], ...more } } });
  const preset = providers.named(`${name}/${model ?? MODELS[name] ?? FIRST[name]}`);
  return {
    name,
    model: preset.model,
    open: (server, send = fetch) =>
      openWire({
        route: routeOf(preset),
        entry: preset.entry,
        model: preset.model,
        key: 'k',
        promptCaching: '5m',
        nativeCompaction: false,
        secretEnv: [],
        debug() {},
        folder: () => undefined,
        languageModel: async () => undefined,
        fetch: (input, init) => {
          const { pathname, search } = new URL(String(input));
          const headers = new Headers(init?.headers);
          headers.set(DIALECT_HEADER, name);
          return send(`${server.origin}${pathname}${search}`, { ...init, headers: Object.fromEntries(headers) });
        },
      }),
  };
}

const FIRST: Readonly<Record<string, string>> = {
  deepseek: 'deepseek-v4-pro',
  moonshot: 'kimi-k3',
  zai: 'glm-5.3',
  qwen: 'qwen3-max',
  groq: 'openai/gpt-oss-120b',
};

export const CHAT_SPEAKERS: readonly Speaker[] = Object.keys(DIALECTS).map((name) => speaker(name));

const OTHER_MODELS: Readonly<Record<string, string>> = { gemini: 'gemini-3.8-flash', anthropic: 'claude-opus-4-6' };

export const SPEAKERS: readonly Speaker[] = [
  ...CHAT_SPEAKERS,
  ...WIRES.filter(({ name }) => name !== 'openai-chat').map(({ name, create }) => ({
    name,
    model: OTHER_MODELS[name] ?? 'test-model',
    open: async (server: Pick<ModelServer, 'origin'>, send?: typeof fetch) =>
      create(server, { apiKey: 'k', ...(send && { fetch: send }) }),
  })),
];

/** The wire, and what it is asked for. */
export function noting(wire: ModelWire, asked: ModelRequest[]): ModelWire {
  return {
    stream(request, signal) {
      asked.push({ ...request, messages: request.messages.map(withItsImages) });
      return wire.stream(request, signal);
    },
  };
}

/** Images are read from a store that will be gone. */
function withItsImages(message: ModelMessage): ModelMessage {
  if (!('images' in message) || message.images === undefined) return message;
  return { ...message, images: message.images.map(({ mime, base64 }) => ({ mime, base64 })) };
}

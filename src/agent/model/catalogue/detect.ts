/** Which API a server speaks, where the settings do not say. */

import { hostName, isHost } from './host.ts';
import { familyName } from './names.ts';

/** The APIs that Midcourse speaks, as in `midcourse.providers.*.api`. */
export const APIS = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'bedrock',
  'vscode',
  'codex-app-server',
  'practice',
] as const;

export type Api = (typeof APIS)[number];

/** Where the choice of an API comes from, for people. */
export type ApiSource = 'settings' | 'address' | 'model' | 'provider' | 'default';

export interface DetectedApi {
  readonly api: Api;
  readonly from: ApiSource;
}

export interface DetectApi {
  /** What the settings say: it always wins, and nothing is detected then. */
  readonly api?: Api | undefined;
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** What a known provider speaks at addresses that say nothing. */
  readonly declared?: Api | undefined;
}

export function detectApi({ api, provider, baseUrl = '', model = '', declared }: DetectApi): DetectedApi {
  if (api !== undefined) return { api, from: 'settings' };
  const mandated = apiOfAddress(baseUrl);
  if (mandated !== undefined) return { api: mandated, from: 'address' };
  if (isHost(baseUrl, 'githubcopilot.com')) return { api: apiAtCopilot(model), from: 'model' };
  if (isAzure(baseUrl) && CALLS_BY_RESPONSES.test(familyName(model))) return { api: 'openai-responses', from: 'model' };
  if (declared !== undefined) return { api: declared, from: 'provider' };
  return provider === 'bedrock' ? { api: 'bedrock', from: 'provider' } : { api: 'openai-chat', from: 'default' };
}

export interface FallbackEntry extends DetectApi {
  /** The address as the chain's entry names it, before anything has filled it in or rewritten it. */
  readonly entryUrl?: string | undefined;
}

/**
 * The API of an entry of the fallback chain. `baseUrl` is the address in the end: a provider of the settings may have
 * filled it in. The entry's own address goes first, so that nothing rewrites one that has two surfaces.
 */
export function fallbackApi(entry: FallbackEntry): DetectedApi {
  if (entry.api !== undefined) return { api: entry.api, from: 'settings' };
  const { entryUrl, provider } = entry;
  if (provider === 'anthropic') return { api: 'anthropic', from: 'provider' };
  if (entryUrl !== undefined && speaksMessages(entryUrl)) return { api: 'anthropic', from: 'address' };
  const detected = detectApi(entry);
  const undecided = detected.from === 'default' || detected.from === 'provider';
  return undecided && needsResponses(entry) ? { api: 'openai-responses', from: 'model' } : detected;
}

/** What an address leaves no choice about. */
function apiOfAddress(url: string): Api | undefined {
  const host = hostName(url);
  if (host === undefined) return undefined;
  if (speaksMessages(url)) return 'anthropic';
  if (isHost(url, 'api.openai.com') || host === 'api.meta.ai' || host === 'api.router.com') return 'openai-responses';
  if (host.startsWith('bedrock-runtime.') && /\.amazonaws\.com(\.cn)?$/.test(host)) return 'bedrock';
  // Its other surface is OpenAI's chat completions, and lives under its own path.
  if (host === 'generativelanguage.googleapis.com') return pathOf(url).endsWith('/openai') ? 'openai-chat' : 'gemini';
  return undefined;
}

/** `api.kimi.com` has no chat completions under `/coding`. */
function speaksMessages(url: string): boolean {
  const host = hostName(url);
  if (host === undefined) return false;
  if (host === 'api.anthropic.com') return true;
  return pathOf(url).endsWith('/anthropic') || (host === 'api.kimi.com' && pathOf(url).includes('/coding'));
}

/** Per model; `gpt-5-mini` stays with chat completions there. */
function apiAtCopilot(model: string): Api {
  const name = familyName(model);
  return /^gpt-[5-9]/.test(name) && !/^gpt-5-mini/.test(name) ? 'openai-responses' : 'openai-chat';
}

/**
 * They always reason, and Azure refuses a request by Chat Completions that offers them tools:
 * https://github.com/maximhq/bifrost/issues/7275. A deployment of another name is learned from the refusal.
 */
const CALLS_BY_RESPONSES = /^gpt-(5-[6-9]|[6-9])(?!\d)/;

function isAzure(url: string): boolean {
  return isHost(url, 'openai.azure.com') || isHost(url, 'services.ai.azure.com');
}

/** Models that take calls by no other API. Azure and routers translate, so theirs stay with chat completions. */
function needsResponses({ baseUrl = '', model = '' }: DetectApi): boolean {
  if (isAzure(baseUrl) || model.includes('/')) return false;
  return /^(codex-mini|o[13]-pro|gpt-5[\w-]*-(codex|pro))/.test(familyName(model));
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '').toLowerCase();
}

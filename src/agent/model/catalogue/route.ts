/** From the name of a provider and what the settings say of it to the way that a request takes. */

import { type Api, type ApiSource, type DetectApi, detectApi, fallbackApi } from './detect.ts';
import { hostName, isHost } from './host.ts';
import { PRESETS, type Preset } from './providers.ts';

/** A provider as `midcourse.providers` describes it. */
export interface ProviderEntry {
  readonly api?: Api;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An entry of the fallback chain that is more than a `provider/model`. */
export interface FallbackAddress {
  readonly api?: Api;
  readonly baseUrl?: string;
}

export interface Route {
  readonly provider: string;
  readonly label: string;
  readonly api: Api;
  readonly apiFrom: ApiSource;
  /** Absent where the API has an address of its own, or none. */
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Environment variables that may hold its keys. */
  readonly keyVariables: readonly string[];
  /** It answers nothing without a key. */
  readonly needsKey: boolean;
  readonly keysAt?: string;
  /** Everybody has an address of their own there, and the settings name none: this is what one looks like. */
  readonly wantsAddress?: string;
}

/**
 * The way to a provider's model; undefined when neither the settings nor the table know the provider. What the settings
 * say goes over the table; what they leave out comes from it.
 *
 * @param own the provider in the settings
 * @param fallback what an entry of the fallback chain says beside the name
 */
export function routeOf(
  provider: string,
  own: ProviderEntry | undefined,
  model: string,
  fallback?: FallbackAddress,
): Route | undefined {
  const preset = Object.hasOwn(PRESETS, provider) ? PRESETS[provider] : undefined;
  if (own === undefined && preset === undefined && fallback?.baseUrl === undefined) return undefined;
  const baseUrl = fallback?.baseUrl ?? own?.baseUrl ?? preset?.baseUrl;
  const asked: DetectApi = { api: fallback?.api ?? own?.api, provider, baseUrl, model, declared: preset?.api };
  const { api, from } =
    fallback === undefined ? detectApi(asked) : fallbackApi({ ...asked, entryUrl: fallback.baseUrl });
  const headers = { ...attribution(baseUrl), ...own?.headers };
  const wantsAddress = baseUrl === undefined ? preset?.addressLike : undefined;
  return {
    provider,
    label: preset?.label ?? provider,
    api,
    apiFrom: from,
    headers,
    keyVariables: keyVariables(own, preset, baseUrl),
    needsKey: speaksHttp(api) && !carriesKey(headers) && (baseUrl === undefined || isPublicApi(baseUrl)),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(preset?.keysAt !== undefined && { keysAt: preset.keysAt }),
    ...(wantsAddress !== undefined && { wantsAddress }),
  };
}

/** Requests go over HTTP with a key; Bedrock signs them, the others have no address. */
export function speaksHttp(api: Api): boolean {
  return api === 'openai-chat' || api === 'openai-responses' || api === 'anthropic' || api === 'gemini';
}

/**
 * The environment's key of a known provider stays with that provider: an address of the settings that is another host
 * does not get it unless `apiKeyEnv` says so.
 */
function keyVariables(
  own: ProviderEntry | undefined,
  preset: Preset | undefined,
  baseUrl: string | undefined,
): readonly string[] {
  const named = own?.apiKeyEnv;
  if (named !== undefined) return typeof named === 'string' ? [named] : named;
  return preset !== undefined && isOwnAddress(preset, baseUrl) ? (preset.keyVariables ?? []) : [];
}

function isOwnAddress({ baseUrl: theirs, hosts = [] }: Preset, baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || baseUrl === theirs) return true;
  if (hosts.some((host) => isHost(baseUrl, host))) return true;
  const own = theirs === undefined ? undefined : hostName(theirs);
  return own !== undefined && isHost(baseUrl, own);
}

/** The public APIs refuse every request without a key; other servers may want none. */
function isPublicApi(baseUrl: string): boolean {
  return Object.values(PRESETS).some((preset) => preset.needsKey === true && isOwnAddress(preset, baseUrl));
}

function carriesKey(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => /^(authorization|api-key|x-api-key|x-goog-api-key)$/i.test(name));
}

const SELF = { 'HTTP-Referer': 'https://github.com/midcourse/midcourse', 'X-Title': 'Midcourse' };

/** Routers want to know which program asks. */
function attribution(baseUrl: string | undefined): Readonly<Record<string, string>> {
  if (baseUrl === undefined) return {};
  if (isHost(baseUrl, 'opencode.ai')) return { ...SELF, 'User-Agent': 'midcourse' };
  return isHost(baseUrl, 'openrouter.ai') || isHost(baseUrl, 'fireworks.ai') ? SELF : {};
}

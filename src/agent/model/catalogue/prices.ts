/** What models cost at their makers' own addresses. Elsewhere a price comes from the endpoint or the settings, or is unknown. */

import type { Price, Rates } from '../types.ts';
import type { Api } from './detect.ts';
import { hostName, isHost } from './host.ts';
import { familyName } from './names.ts';

export interface PriceList {
  readonly host: string;
  /** Where and when it was read. */
  readonly source: string;
  readonly on: string;
  /** By the model's name as `familyName` writes it, without its date. US dollars for a million tokens. */
  readonly prices: Readonly<Record<string, Price>>;
}

function rates(input: number, output: number, cacheRead?: number, cacheWrite?: number): Rates {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

/** Above 272,000 tokens input and cache cost twice as much, and output one and a half times. */
function openAi(input: number, output: number, cacheRead: number, cacheWrite?: number): Price {
  const long = rates(2 * input, 1.5 * output, 2 * cacheRead, cacheWrite && 2 * cacheWrite);
  return { ...rates(input, output, cacheRead, cacheWrite), above: [{ tokens: 272_000, ...long }] };
}

/** Marks for five minutes cost a quarter more than input; that is what is asked for. */
function anthropic(input: number, output: number, cacheRead: number): Rates {
  return rates(input, output, cacheRead, 1.25 * input);
}

function above(tokens: number, price: Rates, long: Rates): Price {
  return { ...price, above: [{ tokens, ...long }] };
}

const ANTHROPIC = 'api.anthropic.com';

export const PRICE_LISTS: readonly PriceList[] = [
  {
    host: ANTHROPIC,
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    on: '2026-11',
    prices: {
      'claude-fable-5': anthropic(10, 50, 1),
      'claude-fable-5-1': anthropic(10, 50, 0.25),
      'claude-fable-5-2': anthropic(8, 40, 0.2),
      'claude-opus-4': anthropic(15, 75, 1.5),
      'claude-opus-4-5': anthropic(5, 25, 0.5),
      'claude-opus-4-6': anthropic(5, 25, 0.5),
      'claude-opus-4-7': anthropic(5, 25, 0.5),
      'claude-opus-4-8': anthropic(5, 25, 0.5),
      'claude-opus-5': anthropic(5, 25, 0.5),
      'claude-opus-5-5': anthropic(4, 20, 0.2),
      'claude-sonnet-4': above(200_000, anthropic(3, 15, 0.3), anthropic(6, 22.5, 0.6)),
      'claude-sonnet-4-5': above(200_000, anthropic(3, 15, 0.3), anthropic(6, 22.5, 0.6)),
      'claude-sonnet-4-6': anthropic(3, 15, 0.3),
      'claude-sonnet-5': anthropic(2, 10, 0.2),
      'claude-sonnet-5-5': anthropic(2, 10, 0.1),
      'claude-haiku-4-5': anthropic(1, 5, 0.1),
      'claude-haiku-5-5': above(100_000, anthropic(0.1, 0.5, 0.01), anthropic(0.5, 2.5, 0.05)),
    },
  },
  {
    host: 'api.openai.com',
    source: 'https://developers.openai.com/api/docs/pricing',
    on: '2026-11',
    prices: {
      'gpt-4-1': rates(2, 8, 0.5),
      'gpt-4-1-mini': rates(0.4, 1.6, 0.1),
      'gpt-4o': rates(2.5, 10, 1.25),
      'gpt-5': rates(1.25, 10, 0.125),
      'gpt-5-mini': rates(0.25, 2, 0.025),
      'gpt-5-nano': rates(0.05, 0.4, 0.005),
      'gpt-5-pro': rates(15, 120),
      'gpt-5-codex': rates(1.25, 10, 0.125),
      'gpt-5-1': rates(1.25, 10, 0.125),
      'gpt-5-1-codex': rates(1.25, 10, 0.125),
      'gpt-5-2': rates(1.75, 14, 0.175),
      'gpt-5-3-codex': rates(1.75, 14),
      'gpt-5-4': openAi(2.5, 15, 0.25),
      'gpt-5-4-mini': rates(0.75, 4.5, 0.075),
      // Another name of Sol.
      'gpt-5-6': openAi(4, 20, 0.4),
      'gpt-5-6-sol': openAi(4, 20, 0.4),
      'gpt-5-6-terra': openAi(2, 12, 0.2),
      'gpt-5-6-luna': openAi(0.2, 1.2, 0.02),
      'gpt-6-astra': openAi(10, 50, 1, 12.5),
      'gpt-6-sol': openAi(2, 10, 0.2, 2.5),
      'gpt-6-luna': openAi(0.1, 0.5, 0.01, 0.125),
      'gpt-6-1-terra': rates(1, 5),
      'gpt-6-1-sol': openAi(2, 10, 0.1, 2.5),
      'gpt-6-2-astra': openAi(8, 40, 0.4, 10),
      'gpt-6-2-sol': openAi(2, 10, 0.1, 2.5),
      o3: rates(2, 8, 0.5),
      'o4-mini': rates(1.1, 4.4, 0.275),
    },
  },
  {
    host: 'generativelanguage.googleapis.com',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    on: '2026-10',
    prices: {
      'gemini-2-5-flash': rates(0.3, 2.5, 0.03),
      'gemini-2-5-flash-lite': rates(0.1, 0.4, 0.01),
      'gemini-2-5-pro': above(200_000, rates(1.25, 10, 0.125), rates(2.5, 15, 0.25)),
      'gemini-3-flash': rates(0.5, 3, 0.05),
      'gemini-3-pro': above(200_000, rates(2, 12, 0.2), rates(4, 18, 0.4)),
      'gemini-3-1-pro': above(200_000, rates(2, 12, 0.2), rates(4, 18, 0.4)),
      'gemini-3-5-flash': rates(1.5, 9, 0.15),
      'gemini-4-neon': rates(3, 15, 0.15),
      'gemini-4-hydrogen': rates(1.5, 7.5, 0.075),
      // Until the end of 2026.
      'gemini-3-6-flash': rates(0.75, 3.75, 0.075),
      'gemini-3-7-flash': rates(0.75, 3.75, 0.075),
      'gemini-3-8-flash': rates(0.75, 3.75, 0.075),
    },
  },
  {
    host: 'api.x.ai',
    source: 'https://docs.x.ai/docs/models',
    on: '2026-09',
    prices: {
      'grok-4-3': rates(1.25, 2.5),
      'grok-4-5': above(200_000, rates(2, 6, 0.5), rates(4, 12, 1)),
      'grok-4-6': above(200_000, rates(2, 6, 0.5), rates(4, 12, 1)),
      'grok-4-7': above(200_000, rates(2, 6, 0.5), rates(4, 12, 1)),
    },
  },
  {
    host: 'api.moonshot.ai',
    source: 'https://platform.kimi.ai/docs/pricing/chat',
    on: '2026-10',
    prices: { 'kimi-k3': rates(3, 15, 0.3), 'kimi-k3-1-pro': rates(2, 10) },
  },
  {
    host: 'api.z.ai',
    source: 'https://docs.z.ai/guides/overview/pricing',
    on: '2026-08',
    prices: { 'glm-5-1': rates(1.4, 4.4, 0.26), 'glm-5-2': rates(1.4, 4.4, 0.26), 'glm-5-3': rates(1.4, 4.4, 0.26) },
  },
  {
    host: 'api.minimax.io',
    source: 'https://platform.minimax.io/docs/pricing',
    on: '2026-09',
    prices: {
      'minimax-m2-7': rates(0.3, 1.2, 0.06),
      'minimax-m3': above(512_000, rates(0.3, 1.2, 0.06), rates(0.6, 2.4, 0.12)),
    },
  },
  {
    host: 'api.mistral.ai',
    source: 'https://mistral.ai/pricing',
    on: '2026-05',
    prices: { 'mistral-medium-3-5': rates(1.5, 7.5) },
  },
];

const INCLUDED: Price = { input: 0, output: 0, included: true };

export interface PriceOf {
  readonly api: Api;
  readonly baseUrl: string;
  readonly model: string;
  /** How long marked parts are kept: an hour costs more to write. */
  readonly cacheTtl?: '5m' | '1h' | 'off';
  /** From the settings. */
  readonly own?: Price | undefined;
  /** From the endpoint's list of models. */
  readonly listed?: Price | undefined;
}

/**
 * The price of a model: the settings', a subscription's, the endpoint's, the maker's list; undefined where nobody names
 * one. DeepSeek's is none of ours to know: it goes by the hour of the day in Beijing.
 */
export function priceOf({ api, baseUrl, model, cacheTtl, own, listed }: PriceOf): Price | undefined {
  if (own !== undefined) return own;
  if (isSubscription(api, baseUrl)) return INCLUDED;
  if (listed !== undefined) return listed;
  const list = PRICE_LISTS.find(({ host }) => isHost(baseUrl, host));
  // The whole name: what a later version or a faster variant costs cannot be told from its elder's price.
  const price = list?.prices[familyName(model).replace(EDITION, '')];
  return price && cacheTtl === '1h' && list?.host === ANTHROPIC ? anHour(price) : price;
}

/** Twice the input instead of one and a quarter. */
function anHour(price: Price): Price {
  const write = <R extends Rates>(of: R): R => ({ ...of, cacheWrite: 2 * of.input });
  return { ...write(price), ...(price.above && { above: price.above.map(write) }) };
}

/** A date or a stage of one and the same model. */
const EDITION = /(-latest|-preview|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-\d{4}|-v\d+(:\d+)?)+$/;

/** Codex answers for a ChatGPT plan; the coding plans of Z.AI and Kimi have addresses of their own. */
function isSubscription(api: Api, baseUrl: string): boolean {
  if (api === 'codex-app-server') return true;
  const host = hostName(baseUrl);
  return (host === 'api.z.ai' || host === 'api.kimi.com') && new URL(baseUrl).pathname.includes('/coding');
}

/**
 * The families of models: how much they read and write, whether they see images, how they can be asked to think.
 * From the vendors' own pages, read in November 2026. Tokens. Where a vendor says nothing, the field is absent.
 */

import type { Ladder } from './effort.ts';

export interface Family {
  readonly contextWindow: number;
  readonly maxOutput?: number;
  readonly vision?: true;
  /** Absent: it takes no effort. */
  readonly efforts?: Ladder;
}

const K = 1024;
const M = 1_000_000;
const MIB = 1_048_576;

const LOW_TO_HIGH: Ladder = ['low', 'medium', 'high'];
const LOW_TO_MAX: Ladder = ['low', 'medium', 'high', 'xhigh', 'max'];
const NONE_TO_HIGH: Ladder = ['none', 'low', 'medium', 'high'];
const NONE_TO_XHIGH: Ladder = ['none', 'low', 'medium', 'high', 'xhigh'];
const NONE_TO_MAX: Ladder = ['none', 'low', 'medium', 'high', 'xhigh', 'max'];
const MINIMAL_TO_HIGH: Ladder = ['minimal', 'low', 'medium', 'high'];
/** Thinking is on or off and nothing between. */
const ON_OFF: Ladder = ['none', 'high'];

function claude(contextWindow: number, maxOutput: number, efforts?: Ladder): Family {
  return { contextWindow, maxOutput, vision: true, ...(efforts && { efforts }) };
}

function gpt(contextWindow: number, maxOutput: number, efforts?: Ladder): Family {
  return { contextWindow, maxOutput, vision: true, ...(efforts && { efforts }) };
}

/** By the beginning of a model's name as `familyName` writes it; the longest that fits counts. */
export const FAMILIES = {
  claude: { contextWindow: 200_000, vision: true },
  'claude-3-5': claude(200_000, 8192),
  'claude-3-7': claude(200_000, 64_000, NONE_TO_HIGH),
  'claude-fable-5': claude(M, 128_000, LOW_TO_MAX),
  'claude-mythos-5': claude(M, 128_000, LOW_TO_MAX),
  'claude-opus-4': claude(200_000, 32_000, NONE_TO_HIGH),
  'claude-opus-4-5': claude(200_000, 64_000, NONE_TO_HIGH),
  'claude-opus-4-6': claude(M, 128_000, ['none', 'low', 'medium', 'high', 'max']),
  'claude-opus-4-7': claude(M, 128_000, NONE_TO_MAX),
  'claude-opus-4-8': claude(M, 128_000, NONE_TO_MAX),
  'claude-opus-5': claude(M, 128_000, NONE_TO_MAX),
  'claude-opus-5-5': claude(M, 128_000, LOW_TO_MAX),
  'claude-sonnet-4': claude(200_000, 64_000, NONE_TO_HIGH),
  'claude-sonnet-4-6': claude(M, 64_000, ['none', 'low', 'medium', 'high', 'max']),
  'claude-sonnet-5': claude(M, 128_000, NONE_TO_MAX),
  'claude-sonnet-5-5': claude(M, 128_000, NONE_TO_MAX),
  'claude-haiku-4-5': claude(200_000, 64_000, NONE_TO_HIGH),
  'claude-haiku-5-5': claude(M, 128_000, NONE_TO_MAX),

  'gpt-4o': gpt(128_000, 16_384),
  'gpt-4-1': gpt(1_047_576, 32_768),
  'gpt-5': gpt(400_000, 128_000, MINIMAL_TO_HIGH),
  'gpt-5-codex': gpt(400_000, 128_000, LOW_TO_HIGH),
  'gpt-5-pro': gpt(400_000, 272_000, ['high']),
  'gpt-5-1': gpt(400_000, 128_000, NONE_TO_HIGH),
  'gpt-5-1-codex': gpt(400_000, 128_000, LOW_TO_HIGH),
  'gpt-5-1-codex-max': gpt(400_000, 128_000, ['low', 'medium', 'high', 'xhigh']),
  'gpt-5-2': gpt(400_000, 128_000, NONE_TO_XHIGH),
  'gpt-5-2-codex': gpt(400_000, 128_000, ['low', 'medium', 'high', 'xhigh']),
  'gpt-5-3-codex': gpt(400_000, 128_000, ['low', 'medium', 'high', 'xhigh']),
  'gpt-5-4': gpt(1_050_000, 128_000, NONE_TO_XHIGH),
  'gpt-5-4-mini': gpt(400_000, 128_000, NONE_TO_XHIGH),
  'gpt-5-4-nano': gpt(400_000, 128_000, NONE_TO_XHIGH),
  'gpt-5-5': gpt(1_050_000, 128_000, NONE_TO_XHIGH),
  'gpt-5-6': gpt(1_050_000, 128_000, NONE_TO_MAX),
  'gpt-6': gpt(1_050_000, 128_000, NONE_TO_MAX),
  'gpt-6-astra': gpt(1_050_000, 128_000, LOW_TO_MAX),
  'gpt-6-1': gpt(1_050_000, 128_000, NONE_TO_MAX),
  'gpt-6-2': gpt(1_050_000, 128_000, LOW_TO_MAX),
  'gpt-oss': { contextWindow: 128 * K, efforts: LOW_TO_HIGH },
  'codex-mini': gpt(200_000, 100_000, LOW_TO_HIGH),
  o1: gpt(200_000, 100_000, LOW_TO_HIGH),
  o3: gpt(200_000, 100_000, LOW_TO_HIGH),
  'o3-mini': { contextWindow: 200_000, maxOutput: 100_000, efforts: LOW_TO_HIGH },
  'o4-mini': gpt(200_000, 100_000, LOW_TO_HIGH),

  'gemini-2-5-flash': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: NONE_TO_HIGH },
  'gemini-2-5-pro': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: LOW_TO_HIGH },
  'gemini-3': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: MINIMAL_TO_HIGH },
  'gemini-3-pro': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: ['low', 'high'] },
  'gemini-3-1-pro': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: LOW_TO_HIGH },
  'gemini-3-8-flash': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: LOW_TO_HIGH },
  'gemini-4-neon': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: ['low', 'medium', 'high', 'xhigh'] },
  'gemini-4-hydrogen': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: LOW_TO_HIGH },
  'gemini-4-carbon': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: NONE_TO_HIGH },
  'gemini-4-argon': { contextWindow: MIB, maxOutput: 65_536, vision: true, efforts: NONE_TO_HIGH },
  'gemma-3': { contextWindow: 128 * K, vision: true },
  gemma3: { contextWindow: 128 * K, vision: true },

  'deepseek-v4': { contextWindow: M, maxOutput: 384_000, efforts: ON_OFF },
  'deepseek-flash': { contextWindow: M, maxOutput: 384_000, vision: true, efforts: ON_OFF },
  deepseek: { contextWindow: 128_000 },
  'kimi-k2': { contextWindow: 256 * K, efforts: ON_OFF },
  'kimi-k3': { contextWindow: MIB, maxOutput: 131_072, vision: true, efforts: ON_OFF },
  'kimi-for-coding': { contextWindow: 256 * K, vision: true },
  moonshot: { contextWindow: 128_000 },
  'glm-4-5': { contextWindow: 128 * K, maxOutput: 98_304, efforts: ON_OFF },
  'glm-4-6': { contextWindow: 200_000, maxOutput: 128_000, efforts: ON_OFF },
  'glm-4-7': { contextWindow: 200_000, maxOutput: 128_000, efforts: ON_OFF },
  'glm-5': { contextWindow: 200_000, maxOutput: 128_000, efforts: ON_OFF },
  'glm-5-2': { contextWindow: MIB, maxOutput: 131_072, efforts: ON_OFF },
  'glm-5-3': { contextWindow: MIB, maxOutput: 131_072, efforts: ON_OFF },
  'glm-5v': { contextWindow: 200_000, maxOutput: 128_000, vision: true, efforts: ON_OFF },
  'minimax-m2': { contextWindow: 204_800 },
  'minimax-m3': { contextWindow: M, maxOutput: 131_072, vision: true },
  'mimo-v2': { contextWindow: 256 * K },

  'grok-3': { contextWindow: 128 * K },
  'grok-4': { contextWindow: 256_000, vision: true },
  'grok-4-3': { contextWindow: M, vision: true, efforts: LOW_TO_HIGH },
  'grok-4-5': { contextWindow: 500_000, vision: true, efforts: LOW_TO_HIGH },
  'grok-4-6': { contextWindow: 500_000, vision: true, efforts: LOW_TO_HIGH },
  'grok-4-7': { contextWindow: 500_000, vision: true, efforts: LOW_TO_HIGH },
  'grok-4-20': { contextWindow: M, vision: true },
  'grok-code-fast': { contextWindow: 256_000 },
  'grok-build': { contextWindow: 256_000 },

  qwen3: { contextWindow: 128 * K },
  'qwen3-coder': { contextWindow: 256 * K },
  'qwen3-max': { contextWindow: 256 * K },
  'qwen3-vl': { contextWindow: 256 * K, vision: true },
  'qwen3-5': { contextWindow: 256 * K, vision: true },
  'qwen3-6': { contextWindow: 256 * K, vision: true },
  'qwen3-7': { contextWindow: 256 * K, vision: true },
  'qwen3-8': { contextWindow: 256 * K, vision: true },
  'qwen2-5': { contextWindow: 128 * K },
  'qwen2-5-coder': { contextWindow: 128 * K },

  devstral: { contextWindow: 256 * K },
  codestral: { contextWindow: 256 * K },
  magistral: { contextWindow: 128 * K },
  ministral: { contextWindow: 128 * K },
  'mistral-large': { contextWindow: 256 * K, vision: true },
  'mistral-large-4': { contextWindow: MIB, vision: true },
  'mistral-medium': { contextWindow: 256 * K, vision: true },
  'mistral-small': { contextWindow: 128 * K, vision: true },

  'llama-3-1': { contextWindow: 128 * K },
  'llama-3-3': { contextWindow: 128 * K },
  'llama3-1': { contextWindow: 128 * K },
  'llama3-2': { contextWindow: 128 * K },
  'llama3-3': { contextWindow: 128 * K },
  'llama-4': { contextWindow: MIB, vision: true },
  nova: { contextWindow: 300_000, vision: true },
  'nova-micro': { contextWindow: 128_000 },
} as const satisfies Readonly<Record<string, Family>>;

/**
 * How long a stream may stand still before it counts as lost. A model that reads a long conversation or thinks says
 * nothing for minutes; a connection that died says nothing for ever. The numbers are those that long use has shown.
 */

import type { Effort } from '../types.ts';
import { isHost, isLocal } from './host.ts';

/** Milliseconds. */
export interface StreamLimits {
  /** From the request until the first event of the body. */
  readonly firstEventMs: number;
  /** Between two events. What only keeps the connection open is none. */
  readonly silenceMs: number;
}

/** What a person or a test has set: it is taken as it is, without floors. */
export interface LimitSettings {
  /** Milliseconds. */
  readonly firstEventMs?: number;
  /** Milliseconds; for servers elsewhere. */
  readonly silenceMs?: number;
  /** Milliseconds; for servers on this machine. */
  readonly localSilenceMs?: number;
  /** Silent streams in a row after which a model is not asked any more; 0 asks for ever. */
  readonly giveUpAfter?: number;
}

export interface LimitsOf {
  readonly baseUrl: string;
  readonly model: string;
  /** Of the request, estimated. */
  readonly tokens: number;
  readonly effort?: Effort | undefined;
  readonly settings?: LimitSettings | undefined;
}

const SECOND = 1000;
const LOCAL_SECONDS = 900;

/** Seconds by the size of the request: the row with the most tokens that it is above. */
type BySize = readonly { readonly above: number; readonly seconds: number }[];

const SILENCE: BySize = [
  { above: 100_000, seconds: 300 },
  { above: 50_000, seconds: 240 },
  { above: -1, seconds: 180 },
];

/** The Codex backend sends events all the time once it has begun; a pause there is a loss. */
const CODEX_FIRST_EVENT_SECONDS = 120;
const CODEX_SILENCE: BySize = [
  { above: 100_000, seconds: 180 },
  { above: 50_000, seconds: 120 },
  { above: 10_000, seconds: 60 },
  { above: -1, seconds: 12 },
];

/** Models that think before they speak, by the start of their name, with the least seconds that they get. */
const THINKERS: readonly { readonly seconds: number; readonly slugs: readonly string[] }[] = [
  {
    seconds: 600,
    slugs: [
      ...['o1', 'o3', 'o3-pro', 'deepseek-r1', 'deepseek-reasoner', 'deepseek-v4', 'claude-fable'],
      ...['nemotron-ultra', 'nemotron-super', 'nemotron-3-ultra', 'nemotron-3-super'],
      ...['llama-3.1-nemotron-ultra', 'llama-3.3-nemotron-super'],
    ],
  },
  { seconds: 300, slugs: ['o3-mini', 'o4-mini', 'qwq-32b', 'grok-4', 'grok-3-mini'] },
  { seconds: 240, slugs: ['claude-opus-4', 'claude-opus-5'] },
  { seconds: 180, slugs: ['qwen3', 'claude-sonnet-4-5', 'claude-sonnet-4.5', 'claude-sonnet-4-6', 'claude-sonnet-5'] },
];

const MUCH_EFFORT: ReadonlySet<Effort> = new Set(['high', 'xhigh', 'max']);
const MUCH_EFFORT_SECONDS = 300;

export function streamLimits({ baseUrl, model, tokens, effort, settings = {} }: LimitsOf): StreamLimits {
  const local = isLocal(baseUrl);
  const set = local ? (settings.localSilenceMs ?? settings.silenceMs) : settings.silenceMs;
  const codex = isHost(baseUrl, 'chatgpt.com');
  const floor = Math.max(thinkingSeconds(model), effort && MUCH_EFFORT.has(effort) ? MUCH_EFFORT_SECONDS : 0);
  const usual = Math.max(local ? LOCAL_SECONDS : bySize(SILENCE, tokens), floor);
  const silenceMs = set ?? (codex ? bySize(CODEX_SILENCE, tokens) : usual) * SECOND;
  const firstEventMs = settings.firstEventMs ?? set ?? (codex ? CODEX_FIRST_EVENT_SECONDS : usual) * SECOND;
  return { firstEventMs, silenceMs };
}

/** The least seconds for a model that thinks, 0 for others. The longest name that fits counts. */
export function thinkingSeconds(model: string): number {
  const name = (model.split('/').at(-1) ?? '').toLowerCase();
  const fitting = THINKERS.flatMap(({ seconds, slugs }) =>
    slugs.filter((slug) => startsWithSlug(name, slug)).map((slug) => ({ slug, seconds })),
  );
  return fitting.sort((a, b) => b.slug.length - a.slug.length)[0]?.seconds ?? 0;
}

/** `o3` is the start of `o3-pro`, but not of `o30`; and `foo3` is not `o3`. */
function startsWithSlug(name: string, slug: string): boolean {
  return name.startsWith(slug) && /^$|^[-_.:@]/.test(name.slice(slug.length));
}

function bySize(table: BySize, tokens: number): number {
  return table.find(({ above }) => tokens > above)?.seconds ?? 0;
}

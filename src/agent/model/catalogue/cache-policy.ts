/**
 * Whether a request marks what the provider should cache, and how. Some providers cache by themselves, some only what is
 * marked, and some refuse or misread a mark. The first rule that fits decides.
 */

import { hostName } from './host.ts';
import { type At, all, anyOf, host, model, provider, type Where } from './where.ts';

/** `native`: on blocks of the Messages API, or as cache points of Converse. `envelope`: on parts of chat messages. */
export type CacheMarks = 'native' | 'envelope' | 'envelope_without_tools' | 'none';

export type CacheTtl = '5m' | '1h';

export interface CachePolicy {
  readonly marks: CacheMarks;
  readonly ttl: CacheTtl;
}

export interface CacheRequest extends At {
  readonly wire: 'chat' | 'messages' | 'converse';
  /** False never marks anything, whatever else is set. */
  readonly ttl?: CacheTtl | false | undefined;
  /** What the settings say of this model at this very address; undefined when they say nothing. May throw. */
  flag?(): boolean | undefined;
  /** What is known of the server beyond these rules. */
  readonly known?: CacheMarks | undefined;
  /** Told when `flag` threw. */
  debug?(message: string): void;
}

interface CacheRule {
  readonly wire?: CacheRequest['wire'];
  readonly where: Where;
  readonly marks: CacheMarks;
}

const MINIMAX = anyOf(provider('minimax', 'minimax-cn'), host('minimax.io', 'minimaxi.com'));
const NOUS = anyOf(provider('nous'), host('nousresearch.com'));
const ROUTERS = anyOf(NOUS, provider('openrouter'), host('openrouter.ai'));
const LITELLM: Where = ({ provider: id = '', baseUrl }) => /\blitellm\b/.test(`${id} ${hostName(baseUrl) ?? ''}`);
const QWEN_HOSTS = anyOf(provider('alibaba', 'qwen'), host('aliyuncs.com'));
const OPENCODE = anyOf(provider('opencode', 'opencode-go', 'opencode-zen'), host('opencode.ai'));
const CLAUDE = model(/claude/);
const QWEN = model(/qwen/);

const RULES: readonly CacheRule[] = [
  // Above the next one, since `anthropic` may be the name of a way to MiniMax. M3 caches by itself.
  { wire: 'messages', where: all(MINIMAX, model(/minimax-m3/)), marks: 'none' },
  { wire: 'messages', where: anyOf(provider('anthropic'), host('api.anthropic.com')), marks: 'native' },
  { wire: 'chat', where: all(ROUTERS, model(/claude|kimi/)), marks: 'envelope' },
  { wire: 'chat', where: all(NOUS, QWEN), marks: 'envelope' },
  { wire: 'messages', where: CLAUDE, marks: 'native' },
  // It drops marks on tool results on their way to some of its backends, and fails.
  { wire: 'chat', where: all(LITELLM, CLAUDE), marks: 'envelope_without_tools' },
  { wire: 'messages', where: model(/minimax-m2/), marks: 'native' },
  { wire: 'chat', where: all(anyOf(OPENCODE, QWEN_HOSTS), QWEN), marks: 'envelope' },
  { wire: 'converse', where: anyOf(CLAUDE, model(/nova/)), marks: 'native' },
];

export function cachePolicy(request: CacheRequest): CachePolicy {
  const ttl = QWEN_HOSTS(request) ? '5m' : request.ttl || '5m';
  if (request.ttl === false) return { marks: 'none', ttl };
  const flag = askFlag(request);
  if (flag !== undefined) return { marks: flag ? layoutOf(request) : 'none', ttl };
  if (request.known !== undefined) return { marks: request.known, ttl };
  const rule = RULES.find(({ wire, where }) => (wire ?? request.wire) === request.wire && where(request));
  return { marks: rule?.marks ?? 'none', ttl };
}

function layoutOf({ wire }: CacheRequest): CacheMarks {
  return wire === 'chat' ? 'envelope' : 'native';
}

function askFlag(request: CacheRequest): boolean | undefined {
  try {
    return request.flag?.();
  } catch (error) {
    request.debug?.(`The settings did not say whether ${request.model} caches its prompts: ${String(error)}`);
    return undefined;
  }
}

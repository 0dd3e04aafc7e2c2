/** What a session costs and what is left, in words. */

import type { ModelUsage, Usage } from '../../src/api.ts';
import type { Meter, ModelInUse } from '../../src/protocol/index.ts';
import { plural, t } from '../l10n.ts';
import { allTokens, cost, elapsed, tokens } from './words.ts';

/** Of a limit: from here on it is said that little is left. */
const nearly = 0.8;

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** How far something is used up; `words` say it where it matters, so that no colour has to. */
export interface Used extends Fact {
  /** From 0 to 1. */
  readonly share: number;
  readonly level: 'fine' | 'nearly' | 'over';
  readonly words?: string;
}

/** The cost in the header; undefined while nothing was used. */
export function sessionCost(
  meter: Meter,
  model: ModelInUse,
): { readonly label: string; readonly words: string } | undefined {
  if (allTokens(meter.usage) === 0) return undefined;
  const { costUsd } = meter;
  if (costUsd === undefined) {
    const known = knownCost(meter);
    const without = unpriced(meter).map(({ label }) => label);
    const why =
      without.length === 0
        ? t('The cost of this session is not known.')
        : t('The cost of this session is not known: nobody names a price for {0}.', without.join(', '));
    return known === 0
      ? { label: '$ ?', words: why }
      : { label: `${cost(known)} + ?`, words: t('At least {0}. {1}', cost(known), why) };
  }
  if (costUsd === 0 && model.included) {
    return { label: t('included'), words: t('A subscription pays: requests cost nothing of their own.') };
  }
  return { label: cost(costUsd), words: t('This session cost {0}.', cost(costUsd)) };
}

function unpriced({ models = [] }: Meter): readonly ModelUsage[] {
  return models.filter(({ usage }) => usage.costUsd === undefined && allTokens(usage) > 0);
}

function knownCost({ models = [], agents }: Meter): number {
  return models.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), agents?.costUsd ?? 0);
}

export function costOf({ costUsd }: Usage): string {
  return costUsd === undefined ? t('cost unknown') : cost(costUsd);
}

/** What was read and written, each token once; reasoning is part of the output. */
export function buckets(usage: Usage): readonly Fact[] {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const share = prompt === 0 ? 0 : Math.round((100 * usage.cacheRead) / prompt);
  return [
    { name: t('Input'), value: tokens(usage.input) },
    { name: t('Input from cache'), value: t('{0} ({1} %)', tokens(usage.cacheRead), share) },
    ...(usage.cacheWrite > 0 ? [{ name: t('Written to cache'), value: tokens(usage.cacheWrite) }] : []),
    { name: t('Output'), value: tokens(usage.output) },
    ...(usage.reasoning > 0 ? [{ name: t('of it reasoning'), value: tokens(usage.reasoning) }] : []),
  ];
}

/** Who used it, where that is more than one model. */
export function spenders({ models = [], agents, reviews }: Meter): readonly Fact[] {
  const others = [
    ...(agents ? [{ name: t('Agents'), value: costOf(agents) }] : []),
    ...(reviews ? [{ name: t('Quiet reviews, not counted above'), value: costOf(reviews) }] : []),
  ];
  if (models.length + others.length < 2) return others;
  return [...models.map(ofModel), ...others];
}

function ofModel({ label, requests, usage }: ModelUsage): Fact {
  return { name: label, value: `${plural(requests, '{0} request', '{0} requests')} · ${costOf(usage)}` };
}

export function budgetFacts({ budgets = [] }: Meter): readonly Used[] {
  return budgets.map(({ of, spent, limit }) => ({
    name: budgetNames[of](),
    value: t('{0} of {1}', cost(spent), cost(limit)),
    ...used(spent / limit, { nearly: t('nearly used up'), over: t('used up: no request goes out') }),
  }));
}

const budgetNames = {
  turn: () => t('This turn'),
  session: () => t('This session'),
  day: () => t('Today'),
} as const;

/** @param now milliseconds since the epoch */
export function limitFacts({ limits }: Meter, now: number): readonly Used[] {
  if (!limits) return [];
  return limits.windows.map(({ of, per, limit, remaining, resetMs }) => {
    const left = resetMs === undefined ? undefined : limits.at + resetMs - now;
    // What was tight has filled up again; nobody has said how far.
    const whole = left !== undefined && left <= 0;
    const value = t('{0} of {1} left', whole ? tokens(limit) : tokens(remaining), tokens(limit));
    return {
      name: limitName(of, per),
      value:
        left !== undefined && left > 0
          ? `${value} · ${t('whole in {0}', elapsed(Math.ceil(left / 1_000) * 1_000))}`
          : value,
      ...used(whole ? 0 : 1 - remaining / limit, { nearly: t('little left'), over: t('nothing left: requests wait') }),
    };
  });
}

type Window = NonNullable<Meter['limits']>['windows'][number];

function limitName(of: Window['of'], per: Window['per']): string {
  const what = limitNames[of]();
  switch (per) {
    case 'minute':
      return t('{0} a minute', what);
    case 'hour':
      return t('{0} an hour', what);
    case 'day':
      return t('{0} a day', what);
    case 'unknown':
      return what;
    default:
      return per satisfies never;
  }
}

const limitNames: Readonly<Record<Window['of'], () => string>> = {
  requests: () => t('Requests'),
  tokens: () => t('Tokens'),
  input_tokens: () => t('Input tokens'),
  output_tokens: () => t('Output tokens'),
};

function used(
  share: number,
  words: { readonly nearly: string; readonly over: string },
): Pick<Used, 'share' | 'level' | 'words'> {
  if (share >= 1) return { share: 1, level: 'over', words: words.over };
  return share >= nearly
    ? { share, level: 'nearly', words: words.nearly }
    : { share: Math.max(0, share), level: 'fine' };
}

export function fillFacts({ fills = [] }: Meter): readonly Fact[] {
  return fills.map(({ id, tokens: count }) => ({ name: fillNames[id](), value: tokens(count) }));
}

const fillNames: Readonly<Record<NonNullable<Meter['fills']>[number]['id'], () => string>> = {
  system_prompt: () => t('System prompt'),
  tool_definitions: () => t('Tools'),
  images: () => t('Images'),
  conversation: () => t('Conversation'),
};

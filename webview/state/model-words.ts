/** Models to choose from, in words and in the order in which they are listed. */

import type { ModelGroup, ModelInUse } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import { tokens } from './words.ts';

export type ListedModel = ModelGroup['models'][number];
export type Effort = NonNullable<ModelInUse['effort']>;

/** `200k tokens · $3 in, $15 out · images`: what is known of it, prices for a million tokens. */
export function modelFacts({ contextWindow, price, included, vision, detail }: ListedModel): string {
  return [
    ...(detail ? [detail] : []),
    ...(contextWindow ? [t('{0} tokens', tokens(contextWindow))] : []),
    ...(included ? [t('in your subscription')] : price ? [priceWords(price)] : []),
    ...(vision ? [t('images')] : []),
  ].join(' · ');
}

function priceWords({ input, output }: { readonly input: number; readonly output: number }): string {
  return input === 0 && output === 0 ? t('free') : t('{0} in, {1} out', amount(input), amount(output));
}

/** `$3`, `$0.25`, `$1.5`: no more digits than it has. */
function amount(usd: number): string {
  return `$${Number(usd.toFixed(usd < 1 ? 3 : 2))}`;
}

/** More would only make the list slow; whoever looks for one types a part of its name. */
export const mostListed = 80;

export interface ListedGroup {
  readonly label: string;
  readonly models: readonly ListedModel[];
}

/**
 * Those that fit every word of the search.
 *
 * @returns at most `mostListed`, and how many are left out
 */
export function findModels(
  groups: readonly ModelGroup[],
  search: string,
): { readonly groups: readonly ListedGroup[]; readonly more: number } {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = (group: ModelGroup, { label, ref }: ListedModel) => {
    const text = `${group.label} ${label} ${ref}`.toLocaleLowerCase();
    return words.every((word) => isIn(word, text));
  };
  const found = groups.map((group) => ({ ...group, models: group.models.filter((model) => fits(group, model)) }));
  const all = found.reduce((sum, { models }) => sum + models.length, 0);
  let room = mostListed;
  const listed = found.map((group) => {
    const models = group.models.slice(0, room);
    room -= models.length;
    return { label: group.label, models };
  });
  return { groups: listed.filter(({ models }) => models.length > 0), more: Math.max(0, all - mostListed) };
}

/** A letter or two are the beginning of a word; more may stand anywhere. */
function isIn(word: string, text: string): boolean {
  return word.length > 2 ? text.includes(word) : text.split(/[^\p{L}\p{N}.]+/u).some((part) => part.startsWith(word));
}

export function effortLabel(effort: Effort | undefined): string {
  return effort === undefined ? t('Default') : effortLabels[effort]();
}

const effortLabels: Readonly<Record<Effort, () => string>> = {
  none: () => t('None'),
  minimal: () => t('Minimal'),
  low: () => t('Low'),
  medium: () => t('Medium'),
  high: () => t('High'),
  xhigh: () => t('Extra high'),
  max: () => t('Maximum'),
};

export function effortWords(effort: Effort | undefined): string {
  return effort === undefined ? t('As the provider does it') : effortDetails[effort]();
}

const effortDetails: Readonly<Record<Effort, () => string>> = {
  none: () => t('Answers at once, without thinking'),
  minimal: () => t('Hardly thinks'),
  low: () => t('Thinks a little; quick and cheap'),
  medium: () => t('Thinks before it answers'),
  high: () => t('Thinks much; slower'),
  xhigh: () => t('Thinks very much; slow'),
  max: () => t('Thinks as much as it can; slow and dear'),
};

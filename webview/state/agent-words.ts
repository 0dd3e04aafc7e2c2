/** A delegated agent in words. */

import type { ChildAgent, ChildState } from '../../src/api.ts';
import { plural, t } from '../l10n.ts';
import { allTokens, cost, duration, elapsed, tokens } from './words.ts';

/** Whether it has ended, one way or another. */
export function isOver(state: ChildState): boolean {
  switch (state) {
    case 'running':
    case 'waiting':
    case 'stopping':
      return false;
    case 'finished':
    case 'interrupted':
    case 'failed':
      return true;
    default:
      return state satisfies never;
  }
}

type Standing = Pick<ChildAgent, 'state' | 'mode' | 'requests'>;

/** Only so many agents work at once; one that has asked no model yet can only wait for a place, never for the user. */
export function asksUser({ state, requests }: Pick<ChildAgent, 'state' | 'requests'>): boolean {
  return state === 'waiting' && requests > 0;
}

export function agentStateWords(child: Standing): string {
  const { state, mode } = child;
  switch (state) {
    case 'running':
      return mode === 'background' ? t('in background') : t('running');
    case 'waiting':
      return asksUser(child) ? t('waiting for you') : t('waiting for a place');
    case 'stopping':
      return t('stopping');
    case 'finished':
      return t('finished');
    case 'interrupted':
      return t('interrupted');
    case 'failed':
      return t('failed');
    default:
      return state satisfies never;
  }
}

/** What it does right now, for a line that has room for it; how it stands where it says nothing of that. */
export function agentDoes(child: Standing & Pick<ChildAgent, 'activity'>): string {
  const newest = child.state === 'running' ? child.activity.at(-1) : undefined;
  return newest ?? agentStateWords(child);
}

/** What the line above the composer says of agents that the turn waits for; undefined where it waits for none. */
export function agentsAtWork(
  children: readonly ChildAgent[],
): { readonly words: string; readonly ask: boolean } | undefined {
  const working = children.filter((child) => child.mode === 'foreground' && !isOver(child.state));
  const asking = working.find(asksUser);
  if (asking) return { words: t('Agent {0} is waiting for you', asking.name), ask: true };
  const [only] = working;
  if (!only) return undefined;
  const words =
    working.length === 1 ? t('Agent {0} is working', only.name) : t('{0} agents are working', working.length);
  return { words, ask: false };
}

/** How long it has run, or ran. */
export function agentTime({ startedAt, endedAt }: Pick<ChildAgent, 'startedAt' | 'endedAt'>, now: number): string {
  return endedAt === undefined ? elapsed(now - startedAt) : duration(endedAt - startedAt);
}

/** requests · tokens · cost. */
export function agentFacts({ requests, usage }: Pick<ChildAgent, 'requests' | 'usage'>): string {
  const all = allTokens(usage);
  return [
    plural(requests, '{0} request', '{0} requests'),
    ...(all > 0 ? [t('{0} tokens', tokens(all))] : []),
    ...(usage.costUsd !== undefined && usage.costUsd > 0 ? [cost(usage.costUsd)] : []),
  ].join(' · ');
}

/** The first line of its task; the style sheet cuts it. */
export function taskLine(task: string): string {
  return task.trim().split('\n', 1)[0] ?? '';
}

/** Numbers and outcomes in words. */

import type { Item, Phase, ResultStatus, TurnResult, Usage } from '../../src/api.ts';
import { costLabel as cost, type LiveState, type ViewState } from '../../src/protocol/index.ts';
import { callWords } from '../../src/words/call-words.ts';
import { plural, t } from '../l10n.ts';

/** `0.8 s`, `12 s`, `3 min 5 s`, `1 h 2 min`. */
export function duration(ms: number): string {
  if (ms < 9_950) return t('{0} s', (Math.max(0, ms) / 1000).toFixed(1));
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? t('{0} min', minutes) : t('{0} min {1} s', minutes, seconds % 60);
  return t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

/** For something that still runs: whole seconds, so that it does not flicker. */
export function elapsed(ms: number): string {
  return ms < 10_000 ? t('{0} s', Math.max(0, Math.floor(ms / 1000))) : duration(ms);
}

/** `999`, `1.2k`, `34k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export { cost };

export function allTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** The quiet line under a turn: duration · requests · tokens (cached share) · cost. */
export function turnSummary(result: TurnResult): readonly string[] {
  const { usage } = result;
  const all = allTokens(usage);
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const cached = prompt > 0 ? Math.round((100 * usage.cacheRead) / prompt) : 0;
  return [
    ...(result.durationMs !== undefined ? [duration(result.durationMs)] : []),
    plural(result.requests, '{0} request', '{0} requests'),
    ...(all > 0
      ? [cached > 0 ? t('{0} tokens ({1} % cached)', tokens(all), cached) : t('{0} tokens', tokens(all))]
      : []),
    ...(all > 0 || usage.costUsd !== undefined
      ? [usage.costUsd === undefined ? t('cost unknown') : cost(usage.costUsd)]
      : []),
  ];
}

/** Why a turn that did not simply answer has ended, or undefined. */
export function outcomeWords(result: TurnResult): string | undefined {
  if (result.interrupted) return stoppedWords(result);
  switch (result.exitReason) {
    case 'answered':
      return undefined;
    case 'redirect_limit':
      return t('Ended after three redirects of one answer. Your texts lead the next turn.');
    case 'step_budget':
      return t('Paused: this turn used all the requests it may make. Send a message to go on.');
    case 'cost_budget':
      return t('Paused: this turn reached its cost limit.');
    case 'no_answer':
      return t('The model ended without an answer. Nothing was lost; send your message again or try another model.');
    case 'model_error':
    case 'context_exhausted':
    case 'storage_failed':
    case 'tool_persistence_failed':
      return result.error?.message ?? t('The turn failed. Your message and everything done so far are kept.');
    default:
      return undefined;
  }
}

function stoppedWords(result: TurnResult): string {
  const phase = result.phase && stoppedPhases[result.phase]();
  if (result.exitReason === 'interrupted_by_reload') {
    return phase
      ? t('Interrupted {0}: the window was closed or reloaded. What was done until then is kept.', phase)
      : t('Interrupted: the window was closed or reloaded. What was done until then is kept.');
  }
  const system = /^interrupted_by_system\((.*)\)$/.exec(result.exitReason)?.[1];
  if (system === undefined) return phase ? t('Stopped by you {0}.', phase) : t('Stopped by you.');
  // Which budget, how much of it, and what to do.
  if (system === 'budget' && result.error) return result.error.message;
  const who = producers[system]?.() ?? system;
  const stopped = phase ? t('Stopped by {0} {1}.', who, phase) : t('Stopped by {0}.', who);
  const why = reasons[system]?.();
  return why === undefined ? stopped : `${stopped} ${why}`;
}

const producers: Readonly<Record<string, () => string>> = {
  liveness: () => t('Midcourse'),
  taken_over: () => t('another window'),
  window_closed: () => t('the closing window'),
  shutdown: () => t('the closing window'),
  budget: () => t('its budget'),
  hook: () => t('a hook'),
  parent: () => t('the turn that started it'),
};

/** Why such a producer stops a turn, where its name does not say it. */
const reasons: Readonly<Record<string, () => string>> = {
  liveness: () => t('Nothing had moved for too long.'),
  taken_over: () => t('It took this session over.'),
};

const stoppedPhases: Readonly<Record<Phase, () => string>> = {
  starting: () => t('before the first request'),
  hook: () => t('while a hook ran'),
  model: () => t('while the model answered'),
  backoff: () => t('while it waited to try again'),
  tool: () => t('while a tool ran'),
  approval: () => t('while an approval was open'),
  question: () => t('while a question was open'),
  compaction: () => t('while the conversation was compacted'),
  finalizing: () => t('while the turn was ending'),
};

/** What the agent does right now, for the line above the composer. */
export function activityWords(state: ViewState, live: LiveState | null, retryInMs: number | undefined): string {
  if (state.state === 'stopping') return t('Stopping');
  switch (state.phase) {
    case undefined:
      return state.state === 'waiting' ? t('Waiting for you') : t('Working');
    case 'starting':
      return t('Starting');
    case 'hook':
      return state.label ? t('Waiting for hook {0}', state.label) : t('Running a hook');
    case 'model':
      return modelWords(state.label, live);
    case 'backoff':
      return backoffWords(state.label, retryInMs);
    case 'tool':
      return toolWords(live) ?? state.label ?? t('Running tools');
    case 'approval':
      return t('Waiting for your approval');
    case 'question':
      return t('Waiting for your answer');
    case 'compaction':
      return t('Compacting the conversation');
    case 'finalizing':
      return t('Finishing');
    default:
      return state.phase satisfies never;
  }
}

/** The call that runs, in the reader's language. */
function toolWords(live: LiveState | null): string | undefined {
  const running = live?.tools.find((tool) => tool.state === 'running');
  return running?.subject && callWords(running.subject, 'running', t);
}

function backoffWords(why: string | undefined, retryInMs: number | undefined): string {
  const again = retryInMs !== undefined && retryInMs > 0;
  const next = again ? t('Trying again in {0}', elapsed(retryInMs + 999)) : t('Trying again');
  // The countdown first: the line is cut at its end.
  return why ? `${next} · ${why}` : `${next} · ${t('the request failed')}`;
}

/** The label of the model phase, where there is one, is the call being written and its characters so far. */
function modelWords(label: string | undefined, live: LiveState | null): string {
  const [, name, characters] = /^(\S+) (\d+)$/.exec(label ?? '') ?? [];
  if (name !== undefined) {
    return t('Preparing {0} · {1} characters', prepared[name]?.() ?? name, Number(characters).toLocaleString());
  }
  if (live?.text) return t('Writing');
  return live?.reasoning ? t('Thinking') : t('Waiting for the model');
}

const prepared: Readonly<Record<string, () => string>> = {
  patch: () => t('an edit'),
  write_file: () => t('a file'),
  terminal: () => t('a command'),
  ask_user: () => t('a question'),
  todo: () => t('a plan'),
  delegate: () => t('a task for an agent'),
};

/** What a chip waits for. */
export function waitsForWords(item: Pick<Item, 'waitsFor' | 'state'>): string {
  const waits = item.waitsFor;
  if (item.state.is === 'held') return t('held');
  if (!waits) return '';
  switch (waits.what) {
    case 'tool':
      return waits.label ? t('after {0}', waits.label) : t('after the running tools');
    case 'model':
      return t('waiting for the model');
    case 'backoff':
      return waits.label ? t('sent {0}', waits.label) : t('sent with the next try');
    case 'compaction':
      return t('after compacting');
    case 'child':
      return waits.label ? t('after agent {0}', waits.label) : t('after an agent');
    case 'turn_end':
      return t('after this turn');
    case 'resume':
      return t('held');
    default:
      return waits.what satisfies never;
  }
}

/** The mark at the right end of a tool's line; nothing for a plain success. */
export function statusWords(status: ResultStatus): string | undefined {
  switch (status) {
    case 'success':
      return undefined;
    case 'error':
      return t('failed');
    case 'blocked':
      return t('blocked');
    case 'denied':
      return t('denied');
    case 'withdrawn':
      return t('withdrawn');
    case 'not_run':
      return t('not run');
    case 'stopped':
      return t('stopped');
    case 'timeout':
      return t('timed out');
    case 'yielded':
      return t('in background');
    case 'abandoned':
      return t('may have run in part');
    default:
      return status satisfies never;
  }
}

/** How long ago, for a list of sessions. */
export function ago(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return t('now');
  if (minutes < 60) return t('{0} min', minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t('{0} h', hours);
  return plural(Math.floor(hours / 24), '{0} day', '{0} days');
}

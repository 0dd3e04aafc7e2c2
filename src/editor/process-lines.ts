import * as vscode from 'vscode';
import { isAtWork } from '../agent/children/index.ts';
import type { BackgroundProcess, ChildAgent } from '../api.ts';

/** An agent or a background command of a session, as a line of the list. */
export type Line = vscode.QuickPickItem &
  (
    | { readonly of: 'heading' }
    | { readonly of: 'agent'; readonly id: string; readonly agent: ChildAgent }
    | { readonly of: 'process'; readonly id: string; readonly process: BackgroundProcess }
  );

export const showButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('output'),
  tooltip: vscode.l10n.t('Show its output'),
};
const stopButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('debug-stop'),
  tooltip: vscode.l10n.t('Stop this agent'),
};
const endButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('debug-stop'),
  tooltip: vscode.l10n.t('End it and all it started'),
};

/** Agents, then commands; of each those that run first, then the newest. */
export function linesOf(
  agents: readonly ChildAgent[],
  processes: readonly BackgroundProcess[],
  now: number,
): readonly Line[] {
  const newest = <T extends { readonly startedAt: number }>(runs: (one: T) => boolean) => {
    return (a: T, b: T) => Number(runs(b)) - Number(runs(a)) || b.startedAt - a.startedAt;
  };
  return [
    ...heading(vscode.l10n.t('Agents'), agents.length),
    ...agents.toSorted(newest(isAtWork)).map((agent) => agentLine(agent, now)),
    ...heading(vscode.l10n.t('Commands'), processes.length),
    ...processes.toSorted(newest(processRuns)).map((process) => processLine(process, now)),
  ];
}

function heading(label: string, lines: number): readonly Line[] {
  return lines === 0 ? [] : [{ of: 'heading', label, kind: vscode.QuickPickItemKind.Separator }];
}

function agentLine(agent: ChildAgent, now: number): Line {
  const { id, name, task, mode, startedAt, endedAt, activity } = agent;
  const runs = isAtWork(agent);
  return {
    of: 'agent',
    id,
    agent,
    label: `$(robot) ${name}`,
    description: `${agentState(agent)} · ${span((endedAt ?? now) - startedAt)}`,
    detail: [
      mode === 'background' ? vscode.l10n.t('In the background') : vscode.l10n.t('The turn waits for it'),
      vscode.l10n.t('started {0}', clock(startedAt)),
      (runs ? activity.at(-1) : undefined) ?? firstLine(task),
    ].join(' · '),
    buttons: runs ? [showButton, stopButton] : [showButton],
  };
}

function processLine(process: BackgroundProcess, now: number): Line {
  const { id, command, startedAt, startedBy, pid, tail } = process;
  const runs = processRuns(process);
  const by = {
    background: vscode.l10n.t('By the agent'),
    yield: vscode.l10n.t('Moved here from a turn'),
    user: vscode.l10n.t('By you'),
  }[startedBy];
  const last = firstLine(tail.trimEnd().split('\n').at(-1) ?? '');
  return {
    of: 'process',
    id,
    process,
    label: `$(server-process) ${firstLine(command)}`,
    description: runs ? `${processState(process)} · ${span(now - startedAt)}` : processState(process),
    detail: [
      by,
      vscode.l10n.t('started {0}', clock(startedAt)),
      vscode.l10n.t('process {0}', pid),
      ...(last === '' ? [] : [last]),
    ].join(' · '),
    buttons: runs ? [showButton, endButton] : [showButton],
  };
}

function processRuns({ state }: BackgroundProcess): boolean {
  return state === 'running';
}

function agentState({ state, requests }: ChildAgent): string {
  switch (state) {
    case 'running':
      return vscode.l10n.t('running');
    case 'waiting':
      // One that has asked no model yet can only wait for a place.
      return requests === 0 ? vscode.l10n.t('waiting for a place') : vscode.l10n.t('waiting for you');
    case 'stopping':
      return vscode.l10n.t('stopping');
    case 'finished':
      return vscode.l10n.t('finished');
    case 'interrupted':
      return vscode.l10n.t('interrupted');
    case 'failed':
      return vscode.l10n.t('failed');
    default:
      return state satisfies never;
  }
}

function processState({ state, exitCode }: BackgroundProcess): string {
  switch (state) {
    case 'running':
      return vscode.l10n.t('running');
    case 'exited':
      return vscode.l10n.t('ended with {0}', exitCode ?? '?');
    case 'killed':
      return vscode.l10n.t('was ended');
    case 'unreachable':
      return vscode.l10n.t('could not be ended');
    default:
      return state satisfies never;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Local time of day. */
function clock(at: number): string {
  return new Date(at).toLocaleTimeString(vscode.env.language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return vscode.l10n.t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return vscode.l10n.t('{0} min', minutes);
  return vscode.l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

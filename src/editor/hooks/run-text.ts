import * as vscode from 'vscode';
import type { HookRun } from '../../agent/hooks/index.ts';
import type { HookEntry } from './hook-entry.ts';

export interface RunText {
  readonly entry: Pick<HookEntry, 'name' | 'declaredAs'>;
  readonly run: Omit<HookRun, 'hookId'>;
  readonly title: string;
}

/** One run as a text to read: what was given, what came back, what it decided. */
export function runText({ entry, run, title }: RunText): string {
  const at = new Date(run.startedAt).toLocaleString(vscode.env.language);
  const facts = [
    [vscode.l10n.t('Hook'), `${entry.declaredAs}: ${entry.name}`],
    [vscode.l10n.t('Started'), at],
    [vscode.l10n.t('Took'), vscode.l10n.t('{0} ms', Math.round(run.durationMs))],
    [vscode.l10n.t('Ended'), outcomeWords(run.outcome)],
    ...(run.exitCode === undefined ? [] : [[vscode.l10n.t('Exit code'), String(run.exitCode ?? '–')]]),
    [vscode.l10n.t('Decided'), run.decided],
    ...(run.problem === undefined ? [] : [[vscode.l10n.t('Problem'), run.problem]]),
    ...(run.warnings ?? []).map((warning) => [vscode.l10n.t('Warning'), warning]),
  ];
  const outputs = [
    ...(run.stdin === undefined ? [] : [section('stdin', run.stdin)]),
    section('stdout', run.stdout ?? ''),
    section('stderr', run.stderr ?? ''),
  ];
  return [title, '', ...facts.map(([name, value]) => `${name}: ${value}`), '', ...outputs].join('\n');
}

function section(name: string, text: string): string {
  return `--- ${name} ---\n${text === '' ? vscode.l10n.t('(nothing)') : text.replace(/\n$/, '')}\n`;
}

function outcomeWords(outcome: HookRun['outcome']): string {
  switch (outcome) {
    case 'ok':
      return vscode.l10n.t('as it should');
    case 'failed':
      return vscode.l10n.t('failed');
    case 'timeout':
      return vscode.l10n.t('took too long');
    case 'cancelled':
      return vscode.l10n.t('cancelled');
    default:
      return outcome satisfies never;
  }
}

import * as vscode from 'vscode';
import type { BesideChange, RunState, Unchecked } from '../../agent/trust/index.ts';
import { visibleLine } from '../../words/visible-text.ts';

/** Reasons and files that a tooltip lists; the review lists all that are kept. */
const LISTED = 5;

export interface Caveat {
  /** A word or seven. */
  readonly words: string;
  /** One line each. */
  readonly why: readonly string[];
  /** Something beside it changed since it was allowed: it can be reviewed again. */
  readonly isNews: boolean;
}

/** What consent does not cover of something that runs; undefined where all that it loads is checked. */
export function caveatOf(state: RunState): Caveat | undefined {
  if (state.is !== 'active') return undefined;
  const { unchecked = [], beside = [] } = state;
  if (unchecked.length === 0) return undefined;
  const first = vscode.l10n.t('what it loads is not checked');
  return {
    words: beside.length === 0 ? first : `${first}, ${besideCount(beside)}`,
    why: [...besideWords(beside, LISTED), ...uncheckedWords(unchecked, LISTED)],
    isNews: beside.length > 0,
  };
}

/** Why what it loads is not found by reading. */
export function uncheckedWords(unchecked: readonly Unchecked[], most = unchecked.length): readonly string[] {
  if (unchecked.length === 0) return [];
  return [
    vscode.l10n.t('What it loads is not checked: it can change without a question to you.'),
    ...unchecked.slice(0, most).map((one) => `• ${reason(one)}`),
    ...more(unchecked.length - most),
  ];
}

/** What changed beside it, and what can be done. */
export function besideWords(beside: readonly BesideChange[], most = beside.length): readonly string[] {
  if (beside.length === 0) return [];
  return [
    beside.length === 1
      ? vscode.l10n.t('1 file beside it has changed since you allowed it. Review it to allow it as it is now.')
      : vscode.l10n.t(
          '{0} files beside it have changed since you allowed it. Review it to allow it as it is now.',
          beside.length,
        ),
    ...beside
      .slice(0, most)
      .map(({ path, how }) => `• ${visibleLine(vscode.workspace.asRelativePath(path))} (${howWords(how)})`),
    ...more(beside.length - most),
  ];
}

function besideCount(beside: readonly BesideChange[]): string {
  return beside.length === 1
    ? vscode.l10n.t('1 file beside it has changed')
    : vscode.l10n.t('{0} files beside it have changed', beside.length);
}

function more(count: number): readonly string[] {
  return count > 0 ? [`• ${vscode.l10n.t('and {0} more', count)}`] : [];
}

function howWords(how: BesideChange['how']): string {
  switch (how) {
    case 'changed':
      return vscode.l10n.t('changed');
    case 'added':
      return vscode.l10n.t('new');
    case 'removed':
      return vscode.l10n.t('removed');
    default:
      return how satisfies never;
  }
}

function reason({ code, of: written }: Unchecked): string {
  const of = visibleLine(written);
  switch (code) {
    case 'computed':
      return vscode.l10n.t('The name is only known when it runs: {0}', of);
    case 'package':
      return vscode.l10n.t('It comes from a package: {0}', of);
    case 'tool':
      return vscode.l10n.t('It works with whatever is in the folder: {0}', of);
    case 'programs':
      return vscode.l10n.t('It can start other programs: {0}', of);
    case 'unread':
      return vscode.l10n.t('It is not in a language that is read here: {0}', of);
    case 'too_much':
      return vscode.l10n.t('It loads more than is looked through: {0}', of);
    default:
      return code satisfies never;
  }
}

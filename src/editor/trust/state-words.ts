import * as vscode from 'vscode';
import type { RunState } from '../../agent/trust/index.ts';
import { caveatOf } from './loaded-words.ts';

export interface Look {
  /** A word or three. */
  readonly words: string;
  /** Why it does not run and what to do; undefined where the words say it all. */
  readonly why: string | undefined;
  readonly icon: vscode.ThemeIcon;
}

/** How it is shown whether a hook, a plugin or a server may run; what a server does meanwhile is said beside it. */
export function lookOf(state: RunState): Look {
  switch (state.is) {
    case 'active':
      return withCaveat(look(vscode.l10n.t('active'), undefined, 'pass', 'testing.iconPassed'), state);
    case 'waiting':
      return look(
        vscode.l10n.t('waiting for consent'),
        vscode.l10n.t('It does not run until you have read what it would run and allow it.'),
        'question',
        'list.warningForeground',
      );
    case 'changed':
      return look(
        vscode.l10n.t('changed'),
        vscode.l10n.t('It was changed since you allowed it, and does not run until you allow it again.'),
        'diff',
        'list.warningForeground',
      );
    case 'untrusted':
      return look(
        vscode.l10n.t('untrusted'),
        vscode.l10n.t('This workspace is not trusted, so it does not run here, even if it is your own.'),
        'workspace-untrusted',
      );
    case 'disabled':
      return look(vscode.l10n.t('disabled'), vscode.l10n.t('It is switched off.'), 'circle-slash');
    case 'broken':
      return look(vscode.l10n.t('broken'), state.why, 'error', 'list.errorForeground');
    case 'unsupported':
      return look(vscode.l10n.t('unsupported'), state.why, 'warning', 'list.warningForeground');
    default:
      return state satisfies never;
  }
}

/** Says as well what consent does not cover of it. */
export function withCaveat(of: Look, state: RunState): Look {
  const caveat = caveatOf(state);
  if (!caveat) return of;
  return {
    words: `${of.words}, ${caveat.words}`,
    why: [of.why, ...caveat.why].filter((line) => line !== undefined).join('\n'),
    icon: caveat.isNews ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground')) : of.icon,
  };
}

export function look(words: string, why: string | undefined, icon: string, color?: string): Look {
  return {
    words,
    why,
    icon: new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color)),
  };
}

import * as vscode from 'vscode';
import type { McpServerState } from '../../agent/mcp/index.ts';
import type { RunState } from '../../agent/trust/index.ts';
import type { LanguageServer } from '../language-servers/index.ts';

export interface Look {
  readonly words: string;
  /** Why, and what to do. */
  readonly more?: string;
  readonly icon: vscode.ThemeIcon;
}

export function lookOfServer(state: McpServerState): Look {
  switch (state.is) {
    case 'running':
      return { words: vscode.l10n.t('running'), icon: icon('pass', 'testing.iconPassed') };
    case 'starting':
      return { words: vscode.l10n.t('starting'), icon: new vscode.ThemeIcon('loading~spin') };
    case 'stopped':
      return { words: vscode.l10n.t('stopped'), icon: new vscode.ThemeIcon('circle-outline') };
    case 'failed':
      return { words: vscode.l10n.t('failed'), more: state.why, icon: icon('error', 'testing.iconFailed') };
    case 'needs_sign_in':
      return {
        words: vscode.l10n.t('needs sign-in'),
        more: vscode.l10n.t('The server asks who you are. Nothing is opened until you choose Sign In.'),
        icon: icon('key', 'list.warningForeground'),
      };
    case 'held':
      return lookOfHeld(state.run);
    default:
      return state satisfies never;
  }
}

export function lookOfLanguageServer({ state }: LanguageServer): Look {
  switch (state.is) {
    case 'held':
      return lookOfHeld(state.run);
    case 'stopped':
      return {
        words: vscode.l10n.t('not started'),
        more: vscode.l10n.t('It starts with the first file of its language.'),
        icon: new vscode.ThemeIcon('circle-outline'),
      };
    case 'running':
    case 'starting':
    case 'failed':
      return lookOfServer(state);
    default:
      return state satisfies never;
  }
}

export function lookOfHeld(run: Exclude<RunState, { readonly is: 'active' }>): Look {
  switch (run.is) {
    case 'waiting':
      return {
        words: vscode.l10n.t('waits for consent'),
        more: vscode.l10n.t('It does not run until you have reviewed and allowed it.'),
        icon: icon('question', 'list.warningForeground'),
      };
    case 'changed':
      return {
        words: vscode.l10n.t('changed'),
        more: vscode.l10n.t('It was changed since you allowed it. It does not run until you allow it again.'),
        icon: icon('question', 'list.warningForeground'),
      };
    case 'untrusted':
      return {
        words: vscode.l10n.t('not trusted'),
        more: vscode.l10n.t('This workspace is not trusted, so nothing of it runs.'),
        icon: new vscode.ThemeIcon('lock'),
      };
    case 'disabled':
      return {
        words: vscode.l10n.t('off'),
        more: vscode.l10n.t('It is switched off where it is declared.'),
        icon: new vscode.ThemeIcon('circle-slash'),
      };
    case 'broken':
      return { words: vscode.l10n.t('cannot run'), more: run.why, icon: icon('error', 'testing.iconFailed') };
    case 'unsupported':
      return { words: vscode.l10n.t('not supported'), more: run.why, icon: new vscode.ThemeIcon('circle-slash') };
    default:
      return run satisfies never;
  }
}

function icon(name: string, color: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}

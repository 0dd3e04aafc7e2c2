import * as vscode from 'vscode';
import type { McpServer, McpServerState } from '../../agent/mcp/index.ts';
import type { LanguageServer } from '../language-servers/index.ts';
import { type Look, look, lookOf, withCaveat } from '../trust/index.ts';

export function lookOfServer({ state, run }: Pick<McpServer, 'state' | 'run'>): Look {
  return withCaveat(lookOfState(state), run);
}

function lookOfState(state: McpServerState): Look {
  switch (state.is) {
    case 'running':
      return look(vscode.l10n.t('running'), undefined, 'pass', 'testing.iconPassed');
    case 'starting':
      return look(vscode.l10n.t('starting'), undefined, 'loading~spin');
    case 'stopped':
      return look(vscode.l10n.t('stopped'), undefined, 'circle-outline');
    case 'failed':
      return look(vscode.l10n.t('failed'), state.why, 'error', 'testing.iconFailed');
    case 'needs_sign_in':
      return look(
        vscode.l10n.t('needs sign-in'),
        vscode.l10n.t('The server asks who you are. Nothing is opened until you choose Sign In.'),
        'key',
        'list.warningForeground',
      );
    case 'held':
      return lookOf(state.run);
    default:
      return state satisfies never;
  }
}

export function lookOfLanguageServer({ state, run }: LanguageServer): Look {
  return withCaveat(lookOfLanguageState(state), run);
}

function lookOfLanguageState(state: LanguageServer['state']): Look {
  switch (state.is) {
    case 'held':
      return lookOf(state.run);
    case 'stopped':
      return look(
        vscode.l10n.t('not started'),
        vscode.l10n.t('It starts with the first file of its language.'),
        'circle-outline',
      );
    case 'running':
    case 'starting':
    case 'failed':
      return lookOfState(state);
    default:
      return state satisfies never;
  }
}

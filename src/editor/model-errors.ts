import * as vscode from 'vscode';
import type { Route } from '../agent/model/catalogue/index.ts';
import type { ModelError } from '../agent/model/types.ts';

/** Why a model cannot even be asked, in words. Nothing has been sent then. */

export function noKey({ label, keyVariables }: Route): ModelError {
  const [variable] = keyVariables;
  const message = variable
    ? vscode.l10n.t(
        'There is no API key for {0}. Your message is kept. Set one, or start VS Code with {1}.',
        label,
        variable,
      )
    : vscode.l10n.t('There is no API key for {0}. Your message is kept. Set one and send again.', label);
  return modelError('auth', message, 'midcourse.setApiKey');
}

export function noAddress(provider: string, like: string): ModelError {
  return modelError(
    'bad_request',
    vscode.l10n.t(
      'Everybody has an address of their own at {0}. Your message is kept. Write it as baseUrl of {0} in midcourse.providers, such as {1}.',
      provider,
      like,
    ),
    'midcourse.openSettings',
  );
}

/** Its entry in the settings does not fit, and another server of that name is not what was meant. */
export function refusedProvider(why: string): ModelError {
  return modelError('model_not_found', why, 'workbench.action.openSettingsJson');
}

export function unknownModel(ref: string): ModelError {
  return modelError(
    'model_not_found',
    vscode.l10n.t(
      '{0} names no provider that Midcourse knows. Your message is kept. Select a model, or add the provider to midcourse.providers.',
      ref,
    ),
    'midcourse.selectModel',
  );
}

export function notOpened(error: unknown): ModelError {
  const detail = error instanceof Error ? error.message : String(error);
  return modelError(
    'unknown',
    vscode.l10n.t('The model could not be opened: {0}. Nothing you typed is lost. The log has the details.', detail),
    'midcourse.showLog',
  );
}

function modelError(kind: ModelError['kind'], message: string, action: string): ModelError {
  return { kind, message, detail: message, retryable: false, action };
}

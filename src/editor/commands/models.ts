import * as vscode from 'vscode';
import { testConnection } from '../connection-test.ts';
import { forms, read } from './arguments.ts';
import type { Command, CommandHost } from './command.ts';
import { pick } from './pick.ts';

/** The model, its key and its connection. */
export const modelCommands = {
  /** The `provider/model` that is chosen now. */
  'midcourse.selectModel': async (host, argument) => {
    const ref = read(forms.model, argument).model ?? (await pickModel(host));
    if (ref === undefined) return undefined;
    const { sessions, models } = host.core;
    sessions.current?.setModel(ref);
    await models.choose(ref);
    await host.pages.visible()?.refreshModel();
    return ref;
  },

  /** True when a key was stored or removed. */
  'midcourse.setApiKey': async (host, argument) => {
    const { provider = await pickProvider(host), key } = read(forms.key, argument);
    if (provider === undefined) return false;
    const words = key ?? (await askKey(provider));
    if (words === undefined) return false;
    await host.core.secrets.setKey(provider, words);
    if (key === undefined) {
      void vscode.window.showInformationMessage(
        words.trim() === ''
          ? vscode.l10n.t('The key for {0} was removed.', provider)
          : vscode.l10n.t('The key for {0} is kept in the secret storage.', provider),
      );
    }
    return true;
  },

  'midcourse.testConnection': async ({ core, pages }, argument) => {
    const { model } = read(forms.model, argument);
    const title = vscode.l10n.t('Midcourse: asking the model');
    const report = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      testConnection(core.models, model ?? core.sessions.current?.modelRef),
    );
    const chat = pages.visible();
    if (chat) chat.notice(report.ok ? 'info' : 'error', report.message);
    else if (report.ok) void vscode.window.showInformationMessage(report.message);
    else void vscode.window.showErrorMessage(report.message);
    return report;
  },
} satisfies Record<string, Command>;

async function pickModel({ core }: CommandHost): Promise<string | undefined> {
  const [groups, current] = await Promise.all([
    core.models.groups(),
    core.models.inUse(core.sessions.current?.modelRef),
  ]);
  const items = groups.flatMap((group) => [
    { label: group.label, kind: vscode.QuickPickItemKind.Separator, value: '' },
    ...group.models.map((model) => ({
      label: model.label,
      description: model.ref === current.ref ? vscode.l10n.t('{0} · in use', model.ref) : model.ref,
      ...(model.detail === undefined ? {} : { detail: model.detail }),
      value: model.ref,
    })),
  ]);
  const other = { label: `$(edit) ${vscode.l10n.t('Another model…')}`, value: 'other' };
  const chosen = await pick([...items, other], { title: vscode.l10n.t('Select a model'), none: '' });
  if (chosen !== 'other') return chosen || undefined;
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Model as provider/model'),
    placeHolder: 'anthropic/claude-sonnet-4-5',
    validateInput: (value) =>
      /^[^/\s]+\/\S+$/.test(value) ? undefined : vscode.l10n.t('Write provider/model, such as ollama/qwen3.'),
  });
}

async function pickProvider({ core }: CommandHost): Promise<string | undefined> {
  return pick(
    core.models.keyedProviders().map((id) => ({ label: id, value: id })),
    { title: vscode.l10n.t('Set the key of which provider?'), none: '' },
  );
}

function askKey(provider: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', provider),
    prompt: vscode.l10n.t('It is kept in the secret storage. Leave it empty to remove a key.'),
    password: true,
    ignoreFocusOut: true,
  });
}

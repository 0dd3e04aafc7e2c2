import * as vscode from 'vscode';
import { testConnection } from '../connection-test.ts';
import { askKeys } from './api-keys.ts';
import { forms, read } from './arguments.ts';
import type { Command, CommandHost } from './command.ts';
import { pickEffort, pickModel } from './pick-model.ts';

/** The model, how much it thinks, its keys and its connection. */
export const modelCommands = {
  /** The `provider/model` that is chosen now. */
  'midcourse.selectModel': async (host, argument) => {
    const { model } = read(forms.model, argument);
    const picked = model === undefined ? await askModel(host) : { ref: model, withEffort: false };
    if (picked === undefined) return undefined;
    const { sessions, models } = host.core;
    sessions.current?.setModel(picked.ref);
    await models.choose(picked.ref);
    if (picked.withEffort) await askEffort(host);
    await host.pages.visible()?.refreshModel();
    return picked.ref;
  },

  /** The effort that is asked for now; empty for the provider's default. */
  'midcourse.selectEffort': async (host, argument) => {
    const { effort } = read(forms.effort, argument);
    const chosen = effort ?? (await askEffort(host));
    if (effort !== undefined) await host.core.models.chooseEffort(effort);
    await host.pages.visible()?.refreshModel();
    return chosen;
  },

  /** True when a key was stored or removed. */
  'midcourse.setApiKey': async (host, argument) => {
    const { provider, key, add = false } = read(forms.key, argument);
    if (provider === undefined || key === undefined) return askKeys(host, provider);
    const { secrets } = host.core;
    await secrets.setKeys(provider, add ? [...(await secrets.stored(provider)), key] : [key]);
    return true;
  },

  'midcourse.testConnection': async ({ core, pages }, argument) => {
    const { model } = read(forms.model, argument);
    const title = vscode.l10n.t('Midcourse: asking the model');
    const report = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      testConnection(core.models, model ?? core.sessions.current?.modelRef),
    );
    core.log.info(report.message);
    const chat = pages.visible();
    if (chat) chat.notice(report.ok ? 'info' : 'error', report.message);
    else if (report.ok) void vscode.window.showInformationMessage(report.message);
    else void vscode.window.showErrorMessage(report.message);
    return report;
  },
} satisfies Record<string, Command>;

async function askModel({ core }: CommandHost): ReturnType<typeof pickModel> {
  const [groups, current] = await Promise.all([
    core.models.groups(),
    core.models.inUse(core.sessions.current?.modelRef),
  ]);
  return pickModel(groups, current.ref);
}

async function askEffort({ core }: CommandHost): ReturnType<typeof pickEffort> {
  const { efforts = [], effort, label } = await core.models.inUse(core.sessions.current?.modelRef);
  if (efforts.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} cannot be told how much to think.', label));
    return undefined;
  }
  const chosen = await pickEffort(efforts, effort);
  if (chosen !== undefined) await core.models.chooseEffort(chosen);
  return chosen;
}

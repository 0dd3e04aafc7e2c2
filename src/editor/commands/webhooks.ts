import * as vscode from 'vscode';
import { forms, read } from './arguments.ts';
import type { Command, CommandHost } from './command.ts';
import { pick } from './pick.ts';

export const webhookCommands = {
  /** True when a secret was stored or forgotten. */
  'midcourse.setWebhookSecret': async (host, argument) => {
    const given = read(forms.webhookSecret, argument);
    const name = given.name ?? (await pickWebhook(host));
    if (name === undefined) return false;
    const secret = given.secret ?? (await askSecret(name));
    if (secret === undefined) return false;
    await host.core.hooks.webhookSecrets.set(name, secret);
    return true;
  },
} satisfies Record<string, Command>;

function pickWebhook({ core }: CommandHost): Promise<string | undefined> {
  const choices = core.hooks.webhooks.list().map(({ name, url }) => ({ label: name, description: url, value: name }));
  return pick(choices, {
    title: vscode.l10n.t('Set the secret of which webhook?'),
    none: vscode.l10n.t('There is no webhook. They are in the setting {0}.', 'midcourse.webhooks'),
  });
}

function askSecret(name: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Secret of the webhook {0}', name),
    prompt: vscode.l10n.t('It is kept in the secret storage, and signs what is sent. Leave it empty to forget it.'),
    password: true,
    ignoreFocusOut: true,
  });
}

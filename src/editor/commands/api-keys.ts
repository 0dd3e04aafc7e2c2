import * as vscode from 'vscode';
import type { CommandHost } from './command.ts';
import { pick } from './pick.ts';

/** Asks for a provider, what to do with its keys, and the key. True when keys were changed. */
export async function askKeys({ core }: CommandHost, named: string | undefined): Promise<boolean> {
  const provider = named ?? (await pickProvider(core.models.keyedProviders()));
  if (provider === undefined) return false;
  const stored = await core.secrets.stored(provider);
  const change = stored.length === 0 ? 'replace' : await pickChange(provider, stored);
  if (change === undefined) return false;
  if (typeof change === 'object') {
    await core.secrets.setKeys(
      provider,
      stored.filter((key) => key !== change.remove),
    );
    void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} was removed.', provider));
    return true;
  }
  const { label = provider, keysAt } = core.models.keyedProviders().find(({ id }) => id === provider) ?? {};
  const key = await askKey(label, keysAt);
  if (!key) return false;
  await core.secrets.setKeys(provider, change === 'add' ? [...stored, key] : [key]);
  void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} is kept in the secret storage.', provider));
  return true;
}

function pickProvider(
  providers: readonly { readonly id: string; readonly label: string }[],
): Promise<string | undefined> {
  return pick(
    providers.map(({ id, label }) => ({ label, ...(label === id ? {} : { description: id }), value: id })),
    { title: vscode.l10n.t('Set the key of which provider?'), none: '' },
  );
}

type Change = 'replace' | 'add' | { readonly remove: string };

function pickChange(provider: string, stored: readonly string[]): Promise<Change | undefined> {
  const choices: readonly (vscode.QuickPickItem & { readonly value: Change })[] = [
    {
      label: `$(add) ${vscode.l10n.t('Add another key')}`,
      detail: vscode.l10n.t('When one is refused or used up, the next goes on'),
      value: 'add',
    },
    {
      label: `$(replace) ${stored.length === 1 ? vscode.l10n.t('Replace the key') : vscode.l10n.t('Replace all keys')}`,
      value: 'replace',
    },
    ...stored.map((key) => ({
      label: `$(trash) ${vscode.l10n.t('Remove the key that ends in {0}', ending(key))}`,
      value: { remove: key },
    })),
  ];
  return pick(choices, { title: vscode.l10n.t('Keys of {0}', provider), none: '' });
}

/** Enough to tell one's keys apart, and nothing to use. */
function ending(key: string): string {
  return key.length > 12 ? `…${key.slice(-4)}` : '…';
}

async function askKey(label: string, keysAt: string | undefined): Promise<string | undefined> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', label),
    prompt: keysAt
      ? vscode.l10n.t('It is kept in the secret storage. You get one at {0}.', keysAt)
      : vscode.l10n.t('It is kept in the secret storage.'),
    password: true,
    ignoreFocusOut: true,
  });
  return key?.trim() || undefined;
}

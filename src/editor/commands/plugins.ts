import { join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { isBroken, type ListedPlugin } from '../../agent/plugins/index.ts';
import type { Core } from '../core.ts';
import { showManageContainer } from '../manage-container.ts';
import { editConfig, nameProblem, pluginHomes, writePlugin } from '../plugins/index.ts';
import { lookOf } from '../trust/index.ts';
import { forms, read } from './arguments.ts';
import type { Command } from './command.ts';
import { pick } from './pick.ts';

/** The view *Plugins* and what can be done with one plugin. Without an id the user chooses it. */
export const pluginCommands = {
  /** Shows the view. @returns all plugins with their states, for scripts; each hash is what `allowPlugin` takes */
  'midcourse.managePlugins': async ({ core }) => {
    showManageContainer();
    await vscode.commands.executeCommand('midcourse.plugins.focus');
    await core.pluginRoom.plugins.refresh();
    return await listed(core);
  },

  /** With `name` and `place` it is written without a question. @returns its folder */
  'midcourse.createPlugin': async ({ core }, argument) => {
    const { name, place } = read(forms.newPlugin, argument);
    const homes = pluginHomes(core.workspace.foldersOnDisk());
    const home = place === undefined ? await askPlace(homes) : homes.find(({ scope }) => scope === place)?.path;
    if (home === undefined) {
      if (place === 'workspace') throw new Error(vscode.l10n.t('No folder is open, so there is no workspace for it.'));
      return undefined;
    }
    const chosen = name ?? (await askName());
    if (chosen === undefined) return undefined;
    const problem = nameProblem(chosen);
    if (problem !== null) throw new Error(problem);
    const root = await writePlugin(core.context.asAbsolutePath('plugin-api'), { name: chosen, home });
    await core.pluginRoom.plugins.refresh();
    if (name === undefined) await offerToOpen(root, chosen);
    return root;
  },

  'midcourse.enablePlugin': ({ core }, argument) => enable(core, argument, true),
  'midcourse.disablePlugin': ({ core }, argument) => enable(core, argument, false),

  /** Loads it as it is on disk now; one that was given up is started again. @returns true when it works */
  'midcourse.reloadPlugin': async ({ core }, argument) => {
    const plugin = await chosenPlugin(core, argument, vscode.l10n.t('Which plugin do you want to reload?'));
    if (!plugin) return false;
    await core.pluginRoom.plugins.reload(plugin.plugin.id);
    return core.pluginRoom.find(plugin.plugin.id)?.state.is === 'active';
  },

  /**
   * Shows what a plugin would run, and asks. With the hash of `managePlugins` it is allowed without a question, for
   * scripts and tests; the hash is refused when the plugin has changed.
   */
  'midcourse.allowPlugin': async ({ core }, argument) => {
    const title = vscode.l10n.t('Which plugin do you want to review?');
    const plugin = await chosenPlugin(core, argument, title, ({ consentable }) => !!consentable);
    if (!plugin?.consentable) return false;
    const { hash } = read(forms.plugin, idOf(argument));
    const { consentable } = plugin;
    const allowed =
      hash === undefined ? await core.trust.review(consentable) : await core.trust.allow(consentable, hash);
    await core.pluginRoom.plugins.refresh();
    return allowed;
  },

  'midcourse.revokePlugin': async ({ core }, argument) => {
    const isAllowed = ({ state, consentable }: ListedPlugin) => !!consentable && state.is !== 'waiting';
    const plugin = await chosenPlugin(core, argument, vscode.l10n.t('Which plugin may not run any more?'), isAllowed);
    if (!plugin?.consentable) return false;
    await core.trust.revoke(plugin.consentable);
    await core.pluginRoom.plugins.refresh();
    return true;
  },

  'midcourse.configurePlugin': async ({ core }, argument) => {
    const hasConfig = ({ plugin }: ListedPlugin) => !isBroken(plugin) && plugin.config !== undefined;
    const title = vscode.l10n.t('Which plugin do you want to configure?');
    const chosen = await chosenPlugin(core, argument, title, hasConfig);
    if (!chosen || isBroken(chosen.plugin) || !chosen.plugin.config) return;
    const { id, label, config } = chosen.plugin;
    const given = z
      .record(z.string(), z.unknown())
      .catch({})
      .parse(core.settings.get('plugins.config')[id] ?? {});
    await editConfig(vscode.l10n.t('Configuration of {0}', label), config, given, async (values) => {
      const all = { ...core.settings.get('plugins.config'), [id]: values };
      await vscode.workspace
        .getConfiguration('midcourse')
        .update('plugins.config', all, vscode.ConfigurationTarget.Global);
    });
  },

  'midcourse.showPluginLog': async ({ core }, argument) => {
    const plugin = await chosenPlugin(core, argument, vscode.l10n.t('Whose log do you want to see?'));
    if (plugin) core.pluginRoom.logs.show(plugin.plugin.id);
  },

  /** Opens its manifest. */
  'midcourse.openPlugin': async ({ core }, argument) => {
    const chosen = await chosenPlugin(core, argument, vscode.l10n.t('Which plugin do you want to open?'));
    if (!chosen) return;
    const { manifest, root } = chosen.plugin;
    if (manifest) await vscode.window.showTextDocument(vscode.Uri.file(manifest));
    else await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(root));
  },
} satisfies Record<string, Command>;

async function enable(core: Core, argument: unknown, on: boolean): Promise<boolean> {
  const title = on
    ? vscode.l10n.t('Which plugin do you want to switch on in this workspace?')
    : vscode.l10n.t('Which plugin do you want to switch off in this workspace?');
  const { pluginRoom } = core;
  const chosen = await chosenPlugin(core, argument, title, ({ plugin }) => pluginRoom.isEnabled(plugin.id) !== on);
  if (!chosen) return false;
  await pluginRoom.enable(chosen.plugin.id, on);
  return true;
}

async function chosenPlugin(
  core: Core,
  argument: unknown,
  title: string,
  fits: (listed: ListedPlugin) => boolean = () => true,
): Promise<ListedPlugin | undefined> {
  const { id } = read(forms.plugin, idOf(argument));
  const { pluginRoom } = core;
  if (id !== undefined) {
    const found = pluginRoom.find(id);
    if (!found) throw new Error(vscode.l10n.t('There is no plugin {0}.', id));
    return found;
  }
  const choices = pluginRoom.plugins.list().filter(fits);
  return await pick(
    choices.map((value) => ({ label: value.plugin.id, description: lookOf(value.state).words, value })),
    { title, none: vscode.l10n.t('There is no plugin for that. Midcourse: Create Plugin writes one.') },
  );
}

/** A line of the view, or what a script gives. */
const node = z.looseObject({ listed: z.looseObject({ plugin: z.looseObject({ id: z.string() }) }) });

function idOf(argument: unknown): unknown {
  const line = node.safeParse(argument);
  return line.success ? { id: line.data.listed.plugin.id } : argument;
}

async function askPlace(homes: ReturnType<typeof pluginHomes>): Promise<string | undefined> {
  return await pick(
    homes.map(({ path, scope, folder }) => ({
      label:
        scope === 'user'
          ? vscode.l10n.t('For you, in all workspaces')
          : vscode.l10n.t('In this workspace, for all who work on it'),
      description: folder ?? path,
      value: path,
    })),
    { title: vscode.l10n.t('Create a plugin: where?'), none: '' },
  );
}

async function askName(): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    title: vscode.l10n.t('Create a plugin: its name'),
    value: 'my-plugin',
    validateInput: nameProblem,
    ignoreFocusOut: true,
  });
}

async function offerToOpen(root: string, id: string): Promise<void> {
  const open = vscode.l10n.t('Open');
  const review = vscode.l10n.t('Allow…');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('The plugin is in {0}. It runs once you have allowed it.', root),
    open,
    review,
  );
  if (answer === open) await vscode.window.showTextDocument(vscode.Uri.file(join(root, 'index.mjs')));
  else if (answer === review) await vscode.commands.executeCommand('midcourse.allowPlugin', { id });
}

async function listed(core: Core) {
  return await Promise.all(
    core.pluginRoom.plugins.list().map(async ({ plugin, state, process, consentable, registrations, warnings }) => ({
      id: plugin.id,
      root: plugin.root,
      scope: plugin.scope,
      state: state.is,
      ...('why' in state ? { why: state.why } : {}),
      ...(process === undefined ? {} : { process: process.is }),
      registered: [...registrations.keys()],
      warnings,
      ...(consentable === undefined ? {} : { hash: (await core.trust.consents.check(consentable)).hash }),
    })),
  );
}

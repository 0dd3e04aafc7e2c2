import * as vscode from 'vscode';
import type { Core } from '../core.ts';
import { placeOf } from '../hooks/hook-tree.ts';
import type { HookEntry } from '../hooks/index.ts';
import { runText } from '../hooks/run-text.ts';
import { sourceWords } from '../hooks/source-words.ts';
import { tryHook } from '../hooks/try-hook.ts';
import { showManageContainer } from '../manage-container.ts';
import { lookOf } from '../trust/index.ts';
import { forms, read } from './arguments.ts';
import type { Command } from './command.ts';
import { pick } from './pick.ts';

/** The view *Hooks* and what can be done with one hook. Without an id the user chooses the hook. */
export const hookCommands = {
  'midcourse.manageHooks': async ({ core }, argument) => {
    const { name } = read(forms.hookName, argument);
    showManageContainer();
    await vscode.commands.executeCommand('midcourse.hooks.focus');
    if (name !== undefined) await core.hookRoom.view.show(name);
  },

  /** What waits for consent, one after the other until one is not answered. */
  'midcourse.reviewWaiting': async ({ core }) => {
    showManageContainer();
    const waiting = core.trust.waiting();
    if (waiting.length === 0)
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for your consent.'));
    for (const of of waiting) if (!(await core.trust.review(of))) return;
  },

  /**
   * Shows what a hook would run, and asks. With the hash that is shown there it is allowed without a question, for
   * scripts and tests; the hash is refused when the hook has changed.
   *
   * @returns true when it is allowed
   */
  'midcourse.allowHook': async ({ core }, argument) => {
    const { id, hash } = read(forms.hook, idOf(argument));
    const entry = await hookOf(
      core,
      id,
      vscode.l10n.t('Which hook do you want to review?'),
      ({ consentable }) => !!consentable,
    );
    if (!entry?.consentable) return false;
    const { trust, hookRoom } = core;
    const allowed =
      hash === undefined ? await trust.review(entry.consentable) : await trust.allow(entry.consentable, hash);
    await hookRoom.files.refresh();
    return allowed;
  },

  'midcourse.revokeHook': async ({ core }, argument) => {
    const { id } = read(forms.hook, idOf(argument));
    const isAllowed = ({ state, consentable }: HookEntry) =>
      !!consentable && !['waiting', 'untrusted'].includes(state.is);
    const entry = await hookOf(core, id, vscode.l10n.t('Which hook may not run any more?'), isAllowed);
    if (!entry?.consentable) return false;
    await core.trust.revoke(entry.consentable);
    await core.hookRoom.files.refresh();
    return true;
  },

  /** Runs a hook once, outside of any turn, and shows what it was given and what came back. */
  'midcourse.runHook': async ({ core }, argument) => {
    const { id } = read(forms.hook, idOf(argument));
    const chosen = await hookOf(
      core,
      id,
      vscode.l10n.t('Which hook do you want to try?'),
      ({ event }) => event !== undefined,
    );
    if (!chosen) return undefined;
    const entry = await allowed(chosen, core);
    if (!entry?.hook) return undefined;
    const run = await trying(entry, core);
    await core.documents.showText(
      'hook-run.txt',
      runText({ entry, run, title: vscode.l10n.t('A run with sample input') }),
    );
    return run;
  },

  'midcourse.showHookRun': async ({ core }, argument) => {
    const { id, startedAt } = read(forms.hookRun, argument);
    const hasRun = (entry: HookEntry) => core.hooks.manager.runs(entry.id).length > 0;
    const entry = await hookOf(core, id, vscode.l10n.t('Whose last run do you want to see?'), hasRun);
    if (!entry) return;
    const runs = core.hooks.manager.runs(entry.id);
    const run = runs.find((one) => one.startedAt === startedAt) ?? runs[0];
    if (run)
      await core.documents.showText('hook-run.txt', runText({ entry, run, title: vscode.l10n.t('A run of a hook') }));
  },

  /** Opens the file of a hook at its line. */
  'midcourse.openHook': async ({ core }, argument) => {
    const { id, path, line } = read(forms.openHook, idOf(argument));
    if (path !== undefined) return openAt(path, line ?? 1);
    const entry = await hookOf(
      core,
      id,
      vscode.l10n.t('Which hook do you want to open?'),
      ({ source }) => !!placeOf(source),
    );
    const place = entry && placeOf(entry.source);
    if (place) await openAt(place.path, place.line);
  },

  /** Reads the files of hooks and the folders of plugins again. @returns every hook with its state, for scripts */
  'midcourse.refreshHooks': async ({ core }) => {
    await Promise.all([core.hookRoom.files.reload(), core.pluginRoom.plugins.refresh()]);
    return core.hookRoom.view.entries().map(described);
  },
  'midcourse.groupHooksByEvent': ({ core }) => core.hookRoom.view.groupBy('event'),
  'midcourse.groupHooksBySource': ({ core }) => core.hookRoom.view.groupBy('source'),
  'midcourse.disableHooks': () => switchHooks(false),
  'midcourse.enableHooks': () => switchHooks(true),
} satisfies Record<string, Command>;

function described({ id, name, event, declaredAs, dialect, source, state, warnings }: HookEntry) {
  const { why } = lookOf(state);
  const place = placeOf(source);
  return { id, name, event, declaredAs, dialect, source: source.is, state: state.is, why, warnings, ...place };
}

async function switchHooks(enabled: boolean): Promise<void> {
  await vscode.workspace
    .getConfiguration('midcourse')
    .update('hooks.enabled', enabled, vscode.ConfigurationTarget.Global);
}

/** A command of the tree's menu is given the node. */
function idOf(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null || !('entry' in argument)) return argument;
  return { id: (argument as { readonly entry: HookEntry }).entry.id };
}

/** @throws Error in words when there is no hook with that id */
async function hookOf(
  core: Core,
  id: string | undefined,
  title: string,
  fits: (entry: HookEntry) => boolean,
): Promise<HookEntry | undefined> {
  await core.hookRoom.ready;
  const entries = core.hookRoom.view.entries();
  if (id !== undefined) {
    const found = entries.find((entry) => entry.id === id || entry.consentable?.id === id);
    if (!found) throw new Error(vscode.l10n.t('There is no hook {0}.', id));
    return found;
  }
  const choices = entries.filter(fits).map((entry) => {
    const { words, icon } = lookOf(entry.state);
    const label = `$(${icon.id}) ${entry.name}`;
    return { label, description: `${entry.declaredAs} · ${words}`, detail: sourceWords(entry.source), value: entry };
  });
  return pick(choices, { title, none: vscode.l10n.t('There is no hook for that.') });
}

/** As it may run now; asks for the consent that is missing. */
async function allowed(entry: HookEntry, core: Core): Promise<HookEntry | undefined> {
  const { state, consentable, id } = entry;
  if (state.is === 'active' || (state.is === 'broken' && entry.hook)) return entry;
  if (consentable && (state.is === 'waiting' || state.is === 'changed' || state.is === 'untrusted')) {
    if (!(await core.trust.review(consentable))) return undefined;
    await core.hookRoom.files.refresh();
    return core.hookRoom.view.entries().find((one) => one.id === id);
  }
  const { words, why } = lookOf(state);
  void vscode.window.showWarningMessage(vscode.l10n.t('This hook cannot be tried. It is {0}. {1}', words, why ?? ''));
  return undefined;
}

async function trying(entry: HookEntry, core: Core) {
  const { hook } = entry;
  if (!hook) throw new Error(vscode.l10n.t('There is no hook {0}.', entry.id));
  const facts = {
    cwd: core.workspace.foldersOnDisk()[0] ?? core.hookRoom.parts.surroundings.home,
    model: 'sample/model',
  };
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Running {0}', entry.name),
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (_progress, token) => {
    const cancel = new AbortController();
    const subscription = token.onCancellationRequested(() => cancel.abort());
    try {
      return await tryHook(hook, facts, cancel.signal);
    } finally {
      subscription.dispose();
    }
  });
}

async function openAt(path: string, line: number): Promise<void> {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
}

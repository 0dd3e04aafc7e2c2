import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Collection, Unused } from '../../agent/customisations/index.ts';
import { askAboutHeld } from '../customisations/held-notice.ts';
import { sourceLabel } from '../customisations/slash-entries.ts';
import { forms, read } from './arguments.ts';
import type { Command } from './command.ts';

interface Line extends vscode.QuickPickItem {
  readonly path?: string;
  /** Set for a file that is held back. */
  readonly unused?: Unused;
}

export const customisationCommands = {
  /**
   * Instructions, skills, agents and prompt files, also those that are not used, with the reason; opens the chosen one.
   * With `list` nothing is shown and a script gets them as they are.
   */
  'midcourse.showCustomisations': async ({ core }, argument) => {
    const collection = await core.customisations.refresh();
    if (read(forms.customisations, argument).list) return collection;
    const lines = linesOf(collection, core.workspace.facts().folders);
    if (lines.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Nothing was found. Midcourse reads AGENTS.md, CLAUDE.md, skills, agents and prompt files.'),
      );
      return [];
    }
    const chosen = await vscode.window.showQuickPick(lines, {
      title: vscode.l10n.t('Instructions, skills, agents and prompt files'),
      placeHolder: vscode.l10n.t('Choose one to open its file'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen?.unused?.held !== undefined) {
      await askAboutHeld(chosen.unused, core.readableFiles, core.customisations);
    } else if (chosen?.path !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(chosen.path));
    return chosen?.path;
  },
} satisfies Record<string, Command>;

function linesOf(collection: Collection, folders: readonly string[]): readonly Line[] {
  const { instructions, skills, commands, agents, unused } = collection;
  const line = (
    icon: string,
    one: (typeof instructions | typeof skills | typeof commands | typeof agents)[number],
  ): Line => {
    const notes = one.notes ?? [];
    const facts = [one.description, ...notes].filter((text) => text !== '').join(' · ');
    return {
      label: `$(${icon}) ${one.name}`,
      description: sourceLabel(one.source),
      detail: facts === '' ? shortPath(one.path, folders) : facts,
      path: one.path,
    };
  };
  return [
    ...group(
      vscode.l10n.t('Instructions'),
      instructions.map((one) => line('note', one)),
    ),
    ...group(
      vscode.l10n.t('Skills'),
      skills.map((one) => line('mortar-board', one)),
    ),
    ...group(
      vscode.l10n.t('Slash commands'),
      commands.map((one) => line('terminal', one)),
    ),
    ...group(
      vscode.l10n.t('Agents'),
      agents.map((one) => line('robot', one)),
    ),
    ...group(
      vscode.l10n.t('Not used'),
      unused.map((one) => ({
        label: `$(warning) ${shortPath(one.path, folders)}`,
        description: sourceLabel(one.source),
        detail: one.why,
        path: one.path,
        unused: one,
      })),
    ),
  ];
}

function group(label: string, lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...lines];
}

function shortPath(path: string, folders: readonly string[]): string {
  const folder = folders.find((one) => path.startsWith(`${one}/`) || path.startsWith(`${one}\\`));
  if (folder !== undefined) return path.slice(folder.length + 1);
  const home = homedir();
  return path.startsWith(home) ? `~${path.slice(home.length)}` : path;
}

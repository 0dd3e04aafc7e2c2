import * as vscode from 'vscode';
import type { ListedFile } from '../../agent/hooks/files/index.ts';
import type { HookRun, HookSource } from '../../agent/hooks/index.ts';
import { shortHookName } from '../../protocol/index.ts';
import { caveatOf, lookOf } from '../trust/index.ts';
import { eventWords } from './event-words.ts';
import type { HookEntry } from './hook-entry.ts';
import { shortPath } from './short-path.ts';
import { dialectWords, sourceWords } from './source-words.ts';

/** Characters of a hook's name: its state behind it has to be seen too. */
const LABEL = 28;

export type HookNode =
  | { readonly is: 'group'; readonly id: string; readonly label: string; readonly hooks: readonly HookEntry[] }
  | { readonly is: 'hook'; readonly id: string; readonly entry: HookEntry; readonly runs: readonly HookRun[] }
  | { readonly is: 'run'; readonly id: string; readonly hookId: string; readonly run: HookRun }
  | { readonly is: 'file'; readonly id: string; readonly file: ListedFile };

export interface HookTreeInput {
  readonly entries: readonly HookEntry[];
  /** Files that cannot be read, or in which something has no effect. */
  readonly files: readonly ListedFile[];
  readonly by: 'event' | 'source';
  /** Newest first. */
  runs(hookId: string): readonly HookRun[];
}

/** The first level: files with problems, then the hooks by event or by source. */
export function rootNodes({ entries, files, by }: HookTreeInput): readonly HookNode[] {
  const problems = files.filter(({ broken, warnings }) => broken !== undefined || warnings.length > 0);
  const groups = new Map<string, HookEntry[]>();
  for (const entry of entries) {
    const name = by === 'event' ? groupOfEvent(entry) : sourceWords(entry.source);
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return [
    ...problems.map((file) => ({ is: 'file', id: `file:${file.path}`, file }) as const),
    ...[...groups].map(([label, hooks]) => ({ is: 'group', id: `group:${by}:${label}`, label, hooks }) as const),
  ];
}

export function childNodes(node: HookNode, { runs }: Pick<HookTreeInput, 'runs'>): readonly HookNode[] {
  switch (node.is) {
    case 'group':
      return node.hooks.map((entry) => ({ is: 'hook', id: `hook:${entry.id}`, entry, runs: runs(entry.id) }));
    case 'hook': {
      const hookId = node.entry.id;
      return node.runs.map((run) => ({ is: 'run', id: `run:${hookId}:${run.startedAt}`, hookId, run }));
    }
    case 'run':
    case 'file':
      return [];
    default:
      return node satisfies never;
  }
}

export function treeItem(node: HookNode, by: 'event' | 'source'): vscode.TreeItem {
  const item = itemOf(node, by);
  item.id = node.id;
  return item;
}

function itemOf(node: HookNode, by: 'event' | 'source'): vscode.TreeItem {
  switch (node.is) {
    case 'group': {
      const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
      const [first] = node.hooks;
      if (by === 'event' && first?.event) item.description = first.event;
      return item;
    }
    case 'hook':
      return hookItem(node.entry, node.runs.length > 0, by);
    case 'run':
      return runItem(node.hookId, node.run);
    case 'file':
      return fileItem(node.file);
    default:
      return node satisfies never;
  }
}

function hookItem(entry: HookEntry, hasRuns: boolean, by: 'event' | 'source'): vscode.TreeItem {
  const { words, why, icon } = lookOf(entry.state);
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(shortHookName(entry.name, LABEL) || entry.declaredAs, hasRuns ? Collapsed : None);
  const matcher = entry.matcher ? `(${entry.matcher})` : '';
  const where = by === 'event' ? sourceWords(entry.source) : `${entry.declaredAs}${matcher}`;
  item.description = [words, dialectWords(entry.dialect), where].join(' · ');
  item.iconPath = icon;
  item.contextValue = [
    'hook',
    entry.state.is,
    ...(caveatOf(entry.state)?.isNews ? ['news'] : []),
    entry.consentable ? 'file' : 'code',
    ...(placeOf(entry.source) ? ['at'] : []),
  ].join('.');
  item.tooltip = [
    `${entry.declaredAs}${matcher}: ${entry.name}`,
    why === undefined ? words : `${words}: ${why}`,
    whereItIs(entry.source),
    ...entry.warnings,
  ].join('\n');
  item.accessibilityInformation = { label: [entry.name, item.description, why ?? ''].join(', ') };
  if (placeOf(entry.source)) {
    const command = 'midcourse.openHook';
    item.command = { command, title: vscode.l10n.t('Open file'), arguments: [{ id: entry.id }] };
  }
  return item;
}

function runItem(hookId: string, run: HookRun): vscode.TreeItem {
  const time = new Date(run.startedAt).toLocaleTimeString(vscode.env.language);
  const item = new vscode.TreeItem(time);
  item.description = [
    ...(run.exitCode === undefined ? [] : [vscode.l10n.t('exit {0}', run.exitCode ?? '–')]),
    vscode.l10n.t('{0} ms', Math.round(run.durationMs)),
    run.problem ?? run.decided,
  ].join(' · ');
  item.tooltip = [run.decided, run.problem ?? '', ...(run.warnings ?? [])].filter(Boolean).join('\n');
  item.iconPath = new vscode.ThemeIcon(runIcons[run.outcome]);
  item.command = {
    command: 'midcourse.showHookRun',
    title: vscode.l10n.t('Show this run'),
    arguments: [{ id: hookId, startedAt: run.startedAt }],
  };
  return item;
}

const runIcons: Readonly<Record<HookRun['outcome'], string>> = {
  ok: 'check',
  failed: 'error',
  timeout: 'watch',
  cancelled: 'circle-slash',
};

function fileItem({ path, broken, line, warnings }: ListedFile): vscode.TreeItem {
  const item = new vscode.TreeItem(shortPath(path));
  item.description = broken ?? warnings[0] ?? '';
  item.tooltip = [path, broken ?? '', ...warnings].filter(Boolean).join('\n');
  item.iconPath = new vscode.ThemeIcon(broken === undefined ? 'warning' : 'error');
  item.command = {
    command: 'midcourse.openHook',
    title: vscode.l10n.t('Open file'),
    arguments: [{ path, line: line ?? 1 }],
  };
  return item;
}

function groupOfEvent({ event, declaredAs }: HookEntry): string {
  return event === undefined ? vscode.l10n.t('{0}: nothing fires it', declaredAs) : eventWords(event);
}

/** The file and line that a hook is written in; undefined for code. */
export function placeOf(source: HookSource): { readonly path: string; readonly line: number } | undefined {
  const { path, line } = 'path' in source ? source : { path: undefined, line: undefined };
  return path === undefined ? undefined : { path, line: line ?? 1 };
}

function whereItIs(source: HookSource): string {
  const place = placeOf(source);
  return place ? `${place.path}:${place.line}` : sourceWords(source);
}

import * as vscode from 'vscode';
import type { Effort } from '../../agent/model/types.ts';
import type { ModelGroup } from '../../protocol/index.ts';

type Offer = ModelGroup['models'][number];

interface Item extends vscode.QuickPickItem {
  readonly ref?: string;
}

export interface PickedModel {
  readonly ref: string;
  /** The user wants to say how much it thinks too. */
  readonly withEffort: boolean;
}

/** Lets the user search all models by name, provider and reference. Undefined when none was picked. */
export function pickModel(groups: readonly ModelGroup[], current: string): Promise<PickedModel | undefined> {
  const think: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('lightbulb'),
    tooltip: vscode.l10n.t('Select it, and how much it thinks'),
  };
  const other: Item = { label: `$(edit) ${vscode.l10n.t('Another model…')}`, alwaysShow: true };
  const quickPick = vscode.window.createQuickPick<Item>();
  quickPick.title = vscode.l10n.t('Select a model');
  quickPick.placeholder = vscode.l10n.t('Search by name, provider or provider/model');
  quickPick.matchOnDescription = true;
  quickPick.matchOnDetail = true;
  quickPick.items = [...groups.flatMap((group) => itemsOf(group, current, think)), other];
  return new Promise<PickedModel | undefined>((resolve) => {
    quickPick.onDidAccept(() => {
      const [item] = quickPick.selectedItems;
      resolve(
        item === other || item === undefined
          ? askRef(quickPick.value)
          : item.ref
            ? { ref: item.ref, withEffort: false }
            : undefined,
      );
      quickPick.hide();
    });
    quickPick.onDidTriggerItemButton(({ item }) => {
      resolve(item.ref ? { ref: item.ref, withEffort: true } : undefined);
      quickPick.hide();
    });
    quickPick.onDidHide(() => {
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
}

function itemsOf(group: ModelGroup, current: string, think: vscode.QuickInputButton): readonly Item[] {
  return [
    { label: group.label, kind: vscode.QuickPickItemKind.Separator },
    ...group.models.map((model) => ({
      label: model.label,
      description: model.ref === current ? vscode.l10n.t('{0} · in use', model.ref) : model.ref,
      detail: factsInWords(model),
      ref: model.ref,
      ...(model.efforts?.length ? { buttons: [think] } : {}),
    })),
  ];
}

/** `1M tokens · $2 / $10 · images · thinks none to max`; what nobody says is left out. */
function factsInWords({ contextWindow, price, included, vision, efforts = [], detail }: Offer): string {
  const [weakest] = efforts;
  const strongest = efforts.at(-1);
  return [
    ...(detail === undefined ? [] : [detail]),
    ...(contextWindow === undefined ? [] : [vscode.l10n.t('{0} tokens', tokens(contextWindow))]),
    ...(included ? [vscode.l10n.t('included in a subscription')] : []),
    ...(price ? [vscode.l10n.t('{0} in, {1} out per million', `$${price.input}`, `$${price.output}`)] : []),
    ...(vision ? [vscode.l10n.t('sees images')] : []),
    ...(weakest && strongest ? [vscode.l10n.t('thinks: {0} to {1}', weakest, strongest)] : []),
  ].join(' · ');
}

function tokens(count: number): string {
  return count >= 950_000 ? `${Number((count / 1_000_000).toFixed(1))}M` : `${Math.round(count / 1000)}k`;
}

async function askRef(value: string): Promise<PickedModel | undefined> {
  const ref = await vscode.window.showInputBox({
    title: vscode.l10n.t('Model as provider/model'),
    placeHolder: 'anthropic/claude-sonnet-5-5',
    value,
    validateInput: (text) =>
      /^[^/\s]+\/\S+$/.test(text) ? undefined : vscode.l10n.t('Write provider/model, such as ollama/qwen3.'),
  });
  return ref ? { ref, withEffort: false } : undefined;
}

/** Undefined when none was picked; empty for the provider's default. */
export async function pickEffort(
  efforts: readonly Effort[],
  current: Effort | undefined,
): Promise<Effort | '' | undefined> {
  const marked = (value: Effort | '') => (value === (current ?? '') ? { description: vscode.l10n.t('in use') } : {});
  const items = [
    {
      label: vscode.l10n.t('Default'),
      detail: vscode.l10n.t('What the provider does by itself'),
      value: '' as const,
      ...marked(''),
    },
    ...efforts.map((effort) => ({ label: effort, detail: effortInWords(effort), value: effort, ...marked(effort) })),
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('How much should the model think?') });
  return chosen?.value;
}

function effortInWords(effort: Effort): string {
  switch (effort) {
    case 'none':
      return vscode.l10n.t('Answers without thinking');
    case 'minimal':
      return vscode.l10n.t('Hardly thinks; quickest');
    case 'low':
      return vscode.l10n.t('Thinks a little');
    case 'medium':
      return vscode.l10n.t('Balanced');
    case 'high':
      return vscode.l10n.t('Thinks much; slower and dearer');
    case 'xhigh':
      return vscode.l10n.t('Thinks very much');
    case 'max':
      return vscode.l10n.t('Thinks as much as it can; slowest and dearest');
    default:
      return effort satisfies never;
  }
}

import * as vscode from 'vscode';
import { fewAtOnce } from '../../agent/kernel/few-at-once.ts';
import type { Consentable, ConsentPort } from '../../agent/trust/index.ts';
import { Debounce } from '../../debounce.ts';
import type { OutputLog } from '../log.ts';
import type { TrustOwner } from './trust.ts';

const stateKey = 'midcourse.consents.told';

/** What is listed at about the same time is told of together. */
const TIMES = { pause: 1_000, longest: 5_000 };

/** Things that were told of and are remembered; older ones may be told of again. */
const mostRemembered = 1_000;

/** One quiet notification for each set of things that wait, in this workspace never again for the same set. */
export class WaitingNotice implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #consents: ConsentPort;
  readonly #log: OutputLog;
  readonly #waiting = new Map<TrustOwner, readonly Consentable[]>();
  readonly #soon = new Debounce(TIMES, () => {
    this.#tell().catch((error: unknown) => this.#log.failed('What waits for consent could not be told', error));
  });

  constructor(memory: vscode.Memento, consents: ConsentPort, log: OutputLog) {
    this.#memory = memory;
    this.#consents = consents;
    this.#log = log;
  }

  set(owner: TrustOwner, waiting: readonly Consentable[]): void {
    this.#waiting.set(owner, waiting);
    if (waiting.length === 0 || !vscode.workspace.isTrusted) return;
    this.#soon.touch();
  }

  waiting(): readonly Consentable[] {
    return [...this.#waiting.values()].flat();
  }

  dispose(): void {
    this.#soon.cancel();
  }

  async #tell(): Promise<void> {
    const all = this.waiting();
    const told = new Set(this.#memory.get<readonly string[]>(stateKey, []));
    // By version: what was allowed, and is changed, is news.
    const versions = await fewAtOnce(all, async (of) => (await this.#consents.check(of)).hash.slice(0, 16));
    const news = versions.filter((version) => !told.has(version));
    if (news.length === 0) return;
    await this.#memory.update(stateKey, [...told, ...news].slice(-mostRemembered));
    const review = vscode.l10n.t('Review');
    const answer = await vscode.window.showInformationMessage(words(all), review, vscode.l10n.t('Not now'));
    if (answer === review) await vscode.commands.executeCommand('midcourse.reviewWaiting');
  }
}

function words(all: readonly Consentable[]): string {
  const parts = (['hook', 'plugin', 'mcp_server', 'language_server'] as const).flatMap((kind) => {
    const count = all.filter((of) => of.kind === kind).length;
    return count === 0 ? [] : [amount(kind, count)];
  });
  const list = new Intl.ListFormat(vscode.env.language).format(parts);
  return all.length === 1
    ? vscode.l10n.t('{0} waits for your consent. It does not run until you allow it.', list)
    : vscode.l10n.t('{0} wait for your consent. They do not run until you allow them.', list);
}

function amount(kind: Consentable['kind'], count: number): string {
  switch (kind) {
    case 'hook':
      return count === 1 ? vscode.l10n.t('1 hook') : vscode.l10n.t('{0} hooks', count);
    case 'plugin':
      return count === 1 ? vscode.l10n.t('1 plugin') : vscode.l10n.t('{0} plugins', count);
    case 'mcp_server':
      return count === 1 ? vscode.l10n.t('1 MCP server') : vscode.l10n.t('{0} MCP servers', count);
    case 'language_server':
      return count === 1 ? vscode.l10n.t('1 language server') : vscode.l10n.t('{0} language servers', count);
    default:
      return kind satisfies never;
  }
}

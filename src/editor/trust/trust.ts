import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Consentable, ConsentStore, type RunState, runStateOf } from '../../agent/trust/index.ts';
import type { OutputLog } from '../log.ts';
import type { VirtualDocuments } from '../virtual-documents.ts';
import { reviewConsent } from './review.ts';
import { sealKeyIn } from './seal-key.ts';
import { WaitingNotice } from './waiting-notice.ts';

export interface TrustParts {
  readonly context: vscode.ExtensionContext;
  readonly documents: VirtualDocuments;
  readonly log: OutputLog;
}

/** Who lists things that may run; what waits is told of by kind. */
export type TrustOwner = 'hooks' | 'plugins' | 'mcp_servers' | 'language_servers';

/**
 * Whether what others wrote may run in this window: VS Code's trust in the workspace, and the user's consent to each
 * thing. Hooks, plugins, MCP servers and language servers all ask here.
 */
export class Trust implements vscode.Disposable {
  readonly consents: ConsentStore;
  readonly #parts: TrustParts;
  readonly #notice: WaitingNotice;
  readonly #changed = new vscode.EventEmitter<void>();
  /** The workspace came to be trusted, or an answer was given or taken back, here or in another window. */
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(parts: TrustParts) {
    this.#parts = parts;
    const folder = join(parts.context.globalStorageUri.fsPath, 'consents');
    this.consents = new ConsentStore({
      folder,
      sealKey: sealKeyIn(parts.context.secrets),
      log: parts.log,
      now: Date.now,
    });
    this.#notice = new WaitingNotice(parts.context.workspaceState, this.consents, parts.log);
    this.#subscriptions = [
      this.consents,
      this.#notice,
      this.#changed,
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire()),
      this.consents.onDidChange(() => this.#changed.fire()),
    ];
  }

  /** False: nothing runs at all, whatever was allowed. */
  isTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  /** `untrusted`, `waiting`, `changed` or `active`; what else may be in the way (broken, disabled) the caller knows. */
  async state(of: Consentable): Promise<RunState> {
    return this.isTrusted() ? runStateOf(await this.consents.check(of)) : { is: 'untrusted' };
  }

  /**
   * Shows what would run, or what has changed of it, and asks.
   *
   * @returns true when the user allows it and it is still what was shown
   */
  review(of: Consentable): Promise<boolean> {
    return reviewConsent(of, { trust: this, documents: this.#parts.documents });
  }

  /**
   * Gives the user's consent without showing anything: for a script that knows the hash of what it allows.
   *
   * @returns false when the thing is not what the hash says
   */
  async allow(of: Consentable, hash: string): Promise<boolean> {
    return this.isTrusted() && (await this.consents.allow(of, hash));
  }

  revoke(of: Pick<Consentable, 'id'>): Promise<void> {
    return this.consents.revoke(of);
  }

  /** All that waits for consent or has changed. */
  waiting(): readonly Consentable[] {
    return this.#notice.waiting();
  }

  /** Tells what of one kind waits for consent or has changed; the user is told once of each set, never modally. */
  waits(owner: TrustOwner, waiting: readonly Consentable[]): void {
    this.#notice.set(owner, waiting);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

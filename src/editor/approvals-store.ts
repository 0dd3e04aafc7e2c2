import * as vscode from 'vscode';
import type { ApprovalPort } from '../agent/turn/types.ts';
import type { OutputLog } from './log.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

export interface AllowedRule {
  readonly workspace: string;
  readonly key: string;
  readonly words: string;
}

/**
 * The *always* rules, in the setting `midcourse.approvals.allowed`: by workspace, each key with what it allows in words.
 * The setting has machine scope, so no workspace can grant itself anything, and a path means the machine it is on.
 */
export class ApprovalsStore implements ApprovalPort {
  readonly #settings: Settings;
  readonly #workspace: Workspace;
  readonly #log: OutputLog;
  /** Granted but not (yet) written: the next call must not ask again while the settings file is being saved. */
  readonly #unwritten = new Map<string, AllowedRule>();
  #writes: Promise<boolean> = Promise.resolve(true);

  constructor(settings: Settings, workspace: Workspace, log: OutputLog) {
    this.#settings = settings;
    this.#workspace = workspace;
    this.#log = log;
  }

  isAlwaysAllowed(key: string): boolean {
    const workspace = this.#workspace.key();
    if (workspace === undefined) return false;
    if (this.#unwritten.has(slot(workspace, key))) return true;
    const rules = this.#settings.get('approvals.allowed')[workspace];
    return rules !== undefined && Object.hasOwn(rules, key);
  }

  allowAlways(key: string, words: string): void {
    const workspace = this.#workspace.key();
    if (workspace === undefined) return;
    const rule = { workspace, key, words };
    this.#unwritten.set(slot(workspace, key), rule);
    void this.#write((all) => ({ ...all, [workspace]: { ...all[workspace], [key]: words } })).then((written) => {
      if (written) this.#unwritten.delete(slot(workspace, key));
    });
  }

  list(): readonly AllowedRule[] {
    return Object.entries(this.#settings.get('approvals.allowed')).flatMap(([workspace, rules]) =>
      Object.entries(rules).map(([key, words]) => ({ workspace, key, words })),
    );
  }

  async revoke(rule: AllowedRule): Promise<void> {
    await this.#write((all) => {
      const { [rule.key]: _revoked, ...kept } = all[rule.workspace] ?? {};
      const { [rule.workspace]: _all, ...others } = all;
      return Object.keys(kept).length === 0 ? others : { ...others, [rule.workspace]: kept };
    });
  }

  /**
   * One after the other: two answers in the same moment must not overwrite each other.
   * @returns false when it was not written, which is logged
   */
  #write(change: (all: Allowed) => Allowed): Promise<boolean> {
    this.#writes = this.#writes.then(async () => {
      try {
        // What does not fit is read as nothing at all: writing it back would wipe what the user has there.
        const problem = this.#settings.problems().find(({ setting }) => setting === 'midcourse.approvals.allowed');
        if (problem) throw new Error(problem.message);
        const next = change(this.#settings.get('approvals.allowed'));
        await vscode.workspace
          .getConfiguration('midcourse')
          .update('approvals.allowed', next, vscode.ConfigurationTarget.Global);
        return true;
      } catch (error) {
        this.#log.failed('An allowed action could not be saved in the settings; it counts for this window only', error);
        return false;
      }
    });
    return this.#writes;
  }
}

type Allowed = Readonly<Record<string, Readonly<Record<string, string>>>>;

function slot(workspace: string, key: string): string {
  return `${workspace}\n${key}`;
}

import type * as vscode from 'vscode';
import { HookManager, isHookEvent, nativeHook } from '../agent/hooks/index.ts';
import { Webhooks } from '../agent/hooks/webhooks/index.ts';
import type { LiveSession } from '../agent/turn/index.ts';
import type { Disposable } from '../api.ts';
import { systemClock } from './clock.ts';
import { HookProblems } from './hook-problems.ts';
import type { HookRegistrations } from './hook-registrations.ts';
import type { OutputLog } from './log.ts';
import type { Settings } from './settings.ts';
import { WebhookSecrets } from './webhook-secrets.ts';

export interface HookDispatcherParts {
  readonly settings: Settings;
  readonly secrets: vscode.SecretStorage;
  readonly registrations: HookRegistrations;
  readonly log: OutputLog;
}

/** The window's hooks: the dispatcher with what the settings say, the webhooks, and what went wrong. */
export class HookDispatcher {
  readonly manager: HookManager;
  readonly problems: HookProblems;
  readonly webhooks: Webhooks;
  readonly webhookSecrets: WebhookSecrets;
  readonly #settings: Settings;
  readonly #log: OutputLog;
  readonly #subscription: vscode.Disposable;
  #webhookSetting = '';

  constructor({ settings, secrets, registrations, log }: HookDispatcherParts) {
    this.#settings = settings;
    this.#log = log;
    this.problems = new HookProblems(log);
    this.webhookSecrets = new WebhookSecrets(secrets);
    this.manager = new HookManager({
      log,
      clock: systemClock,
      report: (problem) => this.problems.tell(problem),
      streamsReasoning: () => settings.get('plugins.streamReasoning'),
    });
    this.webhooks = new Webhooks({
      hooks: this.manager,
      clock: systemClock,
      log,
      env: process.env,
      storedSecret: (name) => this.webhookSecrets.get(name),
    });
    this.#applySettings();
    this.#subscription = settings.onDidChange(() => this.#applySettings());
    registrations.connect({ manager: this.manager, nativeHook, isHookEvent });
  }

  /** What hooks say to the user is shown in their session, or logged when that is not there (any more). */
  sayIn(session: (id: string) => Pick<LiveSession, 'notice'> | undefined): Disposable {
    return this.manager.onDidSay(({ hook, sessionId, turnId, message }) => {
      const words = `${hook.name}: ${message}`;
      const live = session(sessionId);
      if (live) live.notice('hook', words, turnId);
      else this.#log.info(words);
    });
  }

  /** Sends what webhooks still have to send, for a moment, and ends what hooks have running. */
  async close(): Promise<void> {
    this.#subscription.dispose();
    await Promise.all([this.webhooks.close(), this.manager.close()]);
    this.problems.dispose();
  }

  #applySettings(): void {
    this.manager.enabled = this.#settings.get('hooks.enabled');
    const setting = this.#settings.get('webhooks');
    const text = JSON.stringify(setting);
    // Their warnings are for each change of theirs, not of every other setting.
    if (text === this.#webhookSetting) return;
    this.#webhookSetting = text;
    this.webhooks.configure(setting);
  }
}

import * as vscode from 'vscode';
import type { OutputLog } from './log.ts';
import type { Sessions } from './sessions.ts';
import { type Stopped, stopEverything } from './stop-everything.ts';
import { StopSignal } from './stop-signal.ts';

/** *Stop everything*, given here or in another window, and what the user is told of it. */
export class Everything implements vscode.Disposable {
  readonly #sessions: Sessions;
  readonly #signal: StopSignal;
  readonly #log: OutputLog;

  /** @param folder one for all windows of this user on this machine */
  constructor(sessions: Sessions, folder: string, log: OutputLog) {
    this.#sessions = sessions;
    this.#log = log;
    this.#signal = new StopSignal({ folder, log, now: Date.now, stopped: () => void this.#stopForAnother() });
  }

  /** @throws (rejects) when a process could not be asked to end; the turns are stopped then */
  async stop(): Promise<Stopped> {
    const given = this.#tellOthers();
    const stopped = await stopEverything(this.#sessions.live());
    if (await given) void vscode.window.showInformationMessage(hereWords(stopped));
    return stopped;
  }

  dispose(): void {
    this.#signal.dispose();
  }

  async #tellOthers(): Promise<boolean> {
    try {
      await this.#signal.give();
      return true;
    } catch (error) {
      this.#log.failed('Other windows could not be told to stop everything', error);
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          'Everything in this window was stopped, but other windows could not be told. Use the command there too.',
        ),
      );
      return false;
    }
  }

  async #stopForAnother(): Promise<void> {
    try {
      const stopped = await stopEverything(this.#sessions.live());
      if (isNothing(stopped)) return;
      const words = vscode.l10n.t('Everything was stopped from another window. Stopped here: {0}.', amount(stopped));
      void vscode.window.showInformationMessage(words);
    } catch (error) {
      this.#log.failed('Not everything could be stopped', error);
    }
  }
}

function hereWords(stopped: Stopped): string {
  return isNothing(stopped)
    ? vscode.l10n.t('Nothing was running in this window. Other windows stop too.')
    : vscode.l10n.t('Stopped in this window: {0}. Other windows stop too.', amount(stopped));
}

function isNothing({ turns, agents, commands }: Stopped): boolean {
  return turns + agents + commands === 0;
}

function amount({ turns, agents, commands }: Stopped): string {
  return [
    ...(turns === 0 ? [] : [turns === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{0} turns', turns)]),
    ...(agents === 0 ? [] : [agents === 1 ? vscode.l10n.t('1 agent') : vscode.l10n.t('{0} agents', agents)]),
    ...(commands === 0
      ? []
      : [commands === 1 ? vscode.l10n.t('1 background command') : vscode.l10n.t('{0} background commands', commands)]),
  ].join(', ');
}

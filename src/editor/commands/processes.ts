import * as vscode from 'vscode';
import type { LiveSession } from '../../agent/turn/index.ts';
import type { SessionEvent } from '../../api.ts';
import { agentText } from '../agent-text.ts';
import type { Core } from '../core.ts';
import { type Line, linesOf, showButton } from '../process-lines.ts';
import { forms, read } from './arguments.ts';
import type { Command } from './command.ts';

/** Milliseconds between two looks at what runs, while the list is open. */
const pause = 1_000;

export const processCommands = {
  /** Lists the session's agents and background commands; each can be ended and looked into. */
  'midcourse.showProcesses': ({ core }, argument) => {
    const session = core.sessions.find(read(forms.session, argument).sessionId);
    if (session.childAgents().length + session.processes().length > 0) new ProcessList(session, core).show();
    else void vscode.window.showInformationMessage(vscode.l10n.t('No agent and no background command was started.'));
  },
} satisfies Record<string, Command>;

/** The list while it is open: it stays true to what runs, and keeps the chosen line. */
class ProcessList {
  readonly #session: LiveSession;
  readonly #core: Core;
  readonly #list = vscode.window.createQuickPick<Line>();

  constructor(session: LiveSession, core: Core) {
    this.#session = session;
    this.#core = core;
  }

  show(): void {
    const list = this.#list;
    list.title = vscode.l10n.t('Agents and background commands');
    list.placeholder = vscode.l10n.t('Choose one to see its output');
    list.matchOnDescription = true;
    list.matchOnDetail = true;
    list.keepScrollPosition = true;
    this.#refresh();
    const timer = setInterval(() => this.#refresh(), pause);
    const listening = this.#session.onDidEmit((event) => {
      // What one of them writes is shown with the next look.
      if (isEnd(event)) this.#refresh();
    });
    list.onDidAccept(() => this.#open(list.activeItems[0]));
    list.onDidTriggerItemButton(({ item, button }) => {
      if (button === showButton) this.#open(item);
      else this.#end(item);
    });
    list.onDidHide(() => {
      clearInterval(timer);
      listening.dispose();
      list.dispose();
    });
    list.show();
  }

  #refresh(): void {
    const active = this.#list.activeItems[0];
    const lines = linesOf(this.#session.childAgents(), this.#session.processes(), Date.now());
    this.#list.items = lines;
    const same = lines.find((line) => line.of !== 'heading' && active?.of === line.of && active.id === line.id);
    if (same) this.#list.activeItems = [same];
  }

  #open(line: Line | undefined): void {
    if (!line || line.of === 'heading') return;
    this.#list.hide();
    const session = this.#session;
    const { name, text } =
      line.of === 'agent'
        ? { name: line.agent.name, text: () => agentText(session.childTranscript(line.id)?.rows() ?? []) }
        : { name: line.id, text: () => session.processOutput(line.id) ?? '' };
    this.#core.documents
      .follow(`${name}.txt`, text, (changed) => session.onDidEmit((event) => isAbout(event, line.id) && changed()))
      .catch((error: unknown) => this.#core.log.failed('An output could not be shown', error));
  }

  #end(line: Line): void {
    switch (line.of) {
      case 'agent':
        this.#session.stopChild(line.id, 'stop_button');
        return;
      case 'process':
        this.#session
          .killProcess(line.id)
          .catch((error: unknown) => this.#core.log.failed('A process could not be ended', error));
        return;
      case 'heading':
        return;
      default:
        line satisfies never;
    }
  }
}

function isAbout(event: SessionEvent, id: string): boolean {
  return (event.type === 'child' && event.childId === id) || (event.type === 'process' && event.process.id === id);
}

function isEnd(event: SessionEvent): boolean {
  if (event.type === 'child') return event.child.endedAt !== undefined;
  return event.type === 'process' && event.process.state !== 'running';
}

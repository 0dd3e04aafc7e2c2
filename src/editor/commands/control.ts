import * as vscode from 'vscode';
import type { LiveSession } from '../../agent/turn/index.ts';
import type { Receipt } from '../../api.ts';
import type { Core } from '../core.ts';
import { continueText } from '../sessions.ts';
import { forms, read } from './arguments.ts';
import { askText } from './ask-text.ts';
import type { Command } from './command.ts';
import { pick } from './pick.ts';

/** Stop, steer, redirect, queue. */
export const controlCommands = {
  'midcourse.send': sending('send', () => vscode.l10n.t('Send to Midcourse')),
  'midcourse.steer': sending('steer', () => vscode.l10n.t('Steer: read at the next boundary, nothing is cancelled')),
  'midcourse.redirect': sending('redirect', () => vscode.l10n.t('Redirect: cut the running request and ask again')),
  'midcourse.queue': sending('queue', () => vscode.l10n.t('Queue: a turn of its own after this one')),
  'midcourse.stopAndSend': sending('stopAndSend', () => vscode.l10n.t('Stop, then send this')),

  'midcourse.stop': ({ core }, argument) => {
    const { sessionId, reason = 'stop_command' } = read(forms.stop, argument);
    return core.sessions.find(sessionId).stop({ reason });
  },

  'midcourse.stopAfterStep': ({ core }, argument) => {
    const { sessionId, reason = 'stop_command' } = read(forms.stop, argument);
    return core.sessions.find(sessionId).stopAfterStep(reason);
  },

  /** In every window of this user: turns, agents, reviews and background commands. What was stopped in this one. */
  'midcourse.stopEverything': ({ core }) => core.stopEverything(),

  /** Asks to go on where the last turn was interrupted. */
  'midcourse.continueTurn': ({ core }, argument) =>
    core.sessions.find(read(forms.session, argument).sessionId).submit('queue', continueText(), 'command'),

  /** Sends the text that began the last turn once more. */
  'midcourse.retryTurn': ({ core }, argument) =>
    core.sessions.find(read(forms.session, argument).sessionId).retry('command'),

  /** Lets a summary stand for the earlier conversation. False when the session can only be read. */
  'midcourse.compact': ({ core }, argument) => core.sessions.find(read(forms.session, argument).sessionId).compact(),

  /** Ends one running command or agent; its turn goes on. True when it was running. */
  'midcourse.stopCommand': async ({ core }, argument) => {
    const { session, callId } = await runningCommand(core, argument, vscode.l10n.t('Stop which command or agent?'));
    return callId !== undefined && session.stopCommand(callId);
  },

  /** Lets one running command or agent go on in the background; its call returns at once. True when it was running. */
  'midcourse.moveCommandToBackground': async ({ core }, argument) => {
    const { session, callId } = await runningCommand(core, argument, vscode.l10n.t('Move which command or agent?'));
    return callId !== undefined && session.moveToBackground(callId);
  },
} satisfies Record<string, Command>;

/** Tools that can be ended alone, and that can go on in the background. */
const goesOn: ReadonlySet<string> = new Set(['terminal', 'delegate']);

/** The named call, the only one that runs, or the one that the user picks. */
async function runningCommand(
  core: Core,
  argument: unknown,
  title: string,
): Promise<{ readonly session: LiveSession; readonly callId: string | undefined }> {
  const { sessionId, callId } = read(forms.call, argument);
  const session = core.sessions.find(sessionId);
  if (callId !== undefined) return { session, callId };
  const running = (session.view()?.tools ?? []).filter((tool) => tool.state === 'running' && goesOn.has(tool.name));
  if (running.length === 1) return { session, callId: running[0]?.callId };
  const chosen = await pick(
    running.map((tool) => ({ label: tool.label, value: tool.callId })),
    { title, none: vscode.l10n.t('No command and no agent is running.') },
  );
  return { session, callId: chosen };
}

type TextVerb = 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend';

/** With a text it is sent; pressed as a key in the chat, the page sends its composer; otherwise the user is asked. */
function sending(verb: TextVerb, prompt: () => string): Command {
  return async (host, argument): Promise<Receipt | undefined> => {
    const { text, id, sessionId } = read(forms.text, argument);
    const page = text === undefined ? host.pages.focused() : undefined;
    if (page) {
      page.post({ type: 'submit', as: verb });
      return undefined;
    }
    const session = host.core.sessions.find(sessionId);
    const send = (words: string) => session.submit(verb, words, 'command', id === undefined ? {} : { id });
    return text === undefined ? askText({ prompt: prompt() }, send) : send(text);
  };
}

import type { LiveSession } from '../agent/turn/index.ts';
import type { Receipt } from '../api.ts';
import type { VerbCall } from '../protocol/index.ts';
import type { Meaning, SlashCommands } from './customisations/slash-commands.ts';

/** Ends the slash commands of a session that code still works on. */
const stops = new WeakMap<LiveSession, AbortController>();

/** A verb of the page takes effect in the same tick; only a slash command that code answers is waited for. */
export function say(call: VerbCall, session: LiveSession, slash: SlashCommands): Receipt | Promise<Receipt> {
  switch (call.verb) {
    case 'send':
    case 'steer':
    case 'redirect':
    case 'queue':
    case 'stopAndSend':
      return sayText(call, session, slash);
    case 'stop':
      stops.get(session)?.abort();
      stops.delete(session);
      return session.stop({ reason: call.reason ?? 'stop_button' });
    case 'stopAfterStep':
      return session.stopAfterStep('stop_button');
    case 'resumeQueue':
    case 'clearQueue':
      return session[call.verb]();
    case 'withdraw':
    case 'sendNow':
    case 'redirectNow':
      return session[call.verb](call.id);
    case 'edit':
      return session.edit(call.id, call.text, call.revision, slash.expansionOf(call.text));
    case 'move':
      return session.move(call.id, call.before);
    default:
      return call satisfies never;
  }
}

type TextCall = Extract<VerbCall, { readonly attachments: unknown }>;

function sayText(call: TextCall, session: LiveSession, slash: SlashCommands): Receipt | Promise<Receipt> {
  const { verb, id, text, attachments } = call;
  const submit = (meaning: Meaning): Receipt => {
    if (meaning.is === 'done') {
      if (meaning.message !== undefined) session.notice('command', meaning.message);
      return { id, verb, seq: session.seq, outcome: 'changed' };
    }
    const { providerText } = meaning;
    return session.submit(verb, text, 'view', { id, attachments, ...(providerText !== undefined && { providerText }) });
  };
  const meaning = slash.meaningOf(text, session, stopSignal(session));
  return meaning instanceof Promise ? meaning.then(submit) : submit(meaning);
}

function stopSignal(session: LiveSession): AbortSignal {
  const controller = stops.get(session) ?? new AbortController();
  stops.set(session, controller);
  return controller.signal;
}

/** The one result of a call. */

import type { Part, ResultStatus, ToolCard } from '../../api.ts';
import { callWords } from '../../words/call-words.ts';
import type { ResultImage, ToolResult } from '../tools/types.ts';
import type { CallContext } from './call-context.ts';
import type { LiveCall } from './live-turn.ts';

/**
 * Keeps the result and tells the machine; the first result of a call counts.
 *
 * @param modelText what the model reads where hooks made it another than what people see
 */
export function finish(context: CallContext, call: LiveCall, result: ToolResult, modelText?: string): void {
  if (call.result) return;
  const { turn, ports } = context;
  const { status, detail, diff, survivors, childId } = result;
  const { parts: images, notes: notKept } = keptImages(context, result.images ?? []);
  const text = [result.text, ...notKept].filter((line) => line !== '').join('\n');
  const shown = text === '' ? '(no output)' : text;
  const { blockedBy, changedBy, notes } = call;
  if (ranToItsEnd(result)) call.subject = { ...call.subject, ran: true };
  call.result = {
    text: shown,
    ...(images.length > 0 ? { images } : {}),
    ...(modelText === undefined && notes.length === 0
      ? {}
      : { modelText: [modelText ?? shown, ...notes].join('\n\n') }),
    card: {
      ...cardWords(call, status),
      durationMs: Math.max(0, ports.clock.now() - call.startedAt),
      ...(detail === undefined ? {} : { detail }),
      ...(diff === undefined ? {} : { diff }),
      ...(childId === undefined ? {} : { childId }),
      ...(blockedBy === undefined ? {} : { blockedBy }),
      ...(changedBy === undefined ? {} : { changedBy }),
    },
  };
  turn.survivors.push(...(survivors ?? []));
  context.tell({ type: 'result', turnId: turn.id, callId: call.call.callId, status });
}

/** Kept for the session like those of the user; one that cannot be kept is said, and the call has its result. */
function keptImages({ ports, sessionId }: CallContext, images: readonly ResultImage[]) {
  const parts: Part[] = [];
  const notes: string[] = [];
  for (const { name, base64 } of images) {
    try {
      const ref = ports.store.images.save(sessionId, base64);
      parts.push({ type: 'image', mime: ports.store.images.facts(ref)?.mime ?? 'image/png', ref, name });
    } catch (error) {
      notes.push(`[${name} could not be kept: ${error instanceof Error ? error.message : String(error)}]`);
    }
  }
  return { parts, notes };
}

/** A hook refuses the call, with the words that the model and the user read. */
export function finishBlocked(
  context: CallContext,
  call: LiveCall,
  { by, reason, modelText }: { readonly by: string; readonly reason: string; readonly modelText: string },
): void {
  call.blockedBy = { hook: by, reason };
  finish(context, call, { status: 'blocked', text: modelText });
}

/** The call is over for the turn: its card is gone, and whatever it still brings is dropped. */
export function closeCall(call: LiveCall, status: ResultStatus): void {
  delete call.approval;
  delete call.question;
  call.result ??= { text: '', card: { ...cardWords(call, status), durationMs: 0 } };
  call.controller.abort();
}

/** @param status how it ended, which its words depend on */
export function cardWords({ subject }: LiveCall, status: ResultStatus): Pick<ToolCard, 'label' | 'subject'> {
  return { label: callWords(subject, status), subject };
}

/** A command that exited has run, whatever its exit code says of its work. */
function ranToItsEnd({ status, facts }: ToolResult): boolean {
  return status === 'error' && facts !== undefined && 'exit_code' in facts;
}

export function errorText(error: unknown): string {
  return `The tool failed: ${error instanceof Error ? error.message : String(error)}`;
}

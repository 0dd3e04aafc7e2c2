import type { LoopEvent } from '../control/index.ts';
import type { HookAnswer } from '../hooks/types.ts';
import { ownCopy } from '../kernel/own-copy.ts';
import type { DelegatePort, ProcessPort, TodoPort, ToolContext } from '../tools/types.ts';
import type { CallHooksContext } from './hooks/call-hooks.ts';
import type { LiveCall } from './live-turn.ts';
import type { AgentPorts } from './types.ts';

/** Characters of a running call's output that a view is shown. */
const SHOWN_OUTPUT = 4000;

/** What a call is given of its session and turn. */
export interface CallContext extends CallHooksContext {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly processes: ProcessPort;
  readonly todos: TodoPort;
  readonly delegates: DelegatePort | undefined;
  readonly sessionRules: Set<string>;
  tell(event: LoopEvent): void;
  output(call: LiveCall, text: string, replaced: number): void;
  /** Words for the user, beside the transcript. */
  notice(kind: string, text: string): void;
  /** A hook ends the turn. */
  stopTurn(stop: NonNullable<HookAnswer['stopTurn']>): void;
}

export function toolContext(context: CallContext, call: LiveCall): ToolContext {
  const { ports, turn } = context;
  const settings = ports.settings();
  return {
    sessionId: context.sessionId,
    turnId: turn.id,
    callId: call.call.callId,
    signal: call.controller.signal,
    killSignal: call.killController.signal,
    yieldSignal: call.yieldController.signal,
    folders: settings.folders,
    output: (text, replaced = 0) => {
      // What a call still writes when it is over belongs to nobody: its turn may have ended, and another one run.
      if (call.result) return;
      const newest = text.length > SHOWN_OUTPUT ? ownCopy(text.slice(-SHOWN_OUTPUT)) : text;
      const kept = call.output.slice(0, Math.max(0, call.output.length - replaced));
      call.output = (kept + newest).slice(-SHOWN_OUTPUT);
      context.output(call, newest, replaced);
    },
    later: (text) => {
      context.notice('call_later', text);
      context.tell({ type: 'noticed', notice: { id: `${call.call.callId}-later-${text.length}`, text } });
    },
    editor: ports.editor,
    processes: context.processes,
    todos: context.todos,
    ...(context.delegates === undefined ? {} : { delegates: context.delegates }),
    settings: settings.tool,
    seen: call.need !== undefined,
    ...(call.answer === undefined ? {} : { answer: call.answer }),
  };
}

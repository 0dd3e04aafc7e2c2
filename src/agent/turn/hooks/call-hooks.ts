/** Hooks around one tool call: before it, and of its result before the model reads it. */

import type { ResultStatus, TranscriptRow } from '../../../api.ts';
import type { HookPayloads, ToolCallStatus } from '../../../hooks-api.ts';
import type { HookAnswer } from '../../hooks/types.ts';
import type { ToolResult } from '../../tools/types.ts';
import type { LiveCall, LiveTurn } from '../live-turn.ts';
import { contextNote } from '../notes.ts';
import type { SessionHooks } from './session-hooks.ts';

export interface CallHooksContext {
  readonly hooks: SessionHooks;
  readonly turn: LiveTurn;
  /** The call begins to wait for hooks, or waits no longer. */
  wait(call: LiveCall, waits: boolean): void;
}

type CallPayload = HookPayloads['pre_tool_call'];
type ResultPayload = HookPayloads['post_tool_call'];

/** A call as it counts now, also where a hook has changed its input. */
export function callPayload({ call, tool, given }: LiveCall): CallPayload {
  return { tool_call_id: call.callId, tool_name: tool?.name ?? call.name, tool_input: given };
}

/** `pre_tool_call`; after an abort of the call its answer says nothing. */
export function askBefore(context: CallHooksContext, call: LiveCall): Promise<HookAnswer> {
  return context.hooks.ask({
    event: 'pre_tool_call',
    of: callPayload(call),
    turn: context.turn,
    signal: call.controller.signal,
    wait: (waits) => context.wait(call, waits),
  });
}

/** What hooks made of a result: what the model reads where that differs, and whether the turn is to end. */
export interface HeardResult {
  readonly modelText: string | undefined;
  readonly stopTurn: HookAnswer['stopTurn'];
}

export function hearsResults(hooks: SessionHooks): boolean {
  return hooks.has('post_tool_call') || hooks.has('transform_tool_result') || hooks.has('transform_terminal_output');
}

/**
 * Of a call that ran: `transform_terminal_output`, `post_tool_call`, `transform_tool_result`, in this order. The action
 * is done and stays done. After an abort of the call hooks go on by themselves, and the real result counts.
 */
export async function askAfter(context: CallHooksContext, call: LiveCall, result: ToolResult): Promise<HeardResult> {
  const { hooks, turn } = context;
  const { signal } = call.controller;
  const ask = <E extends 'transform_terminal_output' | 'post_tool_call' | 'transform_tool_result'>(
    event: E,
    of: HookPayloads[E],
  ) => hooks.ask({ event, of, turn, signal, wait: (waits) => context.wait(call, waits) });

  let text = result.text;
  const command = commandOf(result);
  if (command && hooks.has('transform_terminal_output')) {
    const of = { tool_call_id: call.call.callId, ...command };
    const { replace } = await ask('transform_terminal_output', of);
    if (replace !== undefined) text = withOutput(text, command.output, replace);
  }
  const payload = () => resultPayload(call, { ...result, text });
  let stopTurn: HookAnswer['stopTurn'];
  if (hooks.has('post_tool_call') && !call.told) {
    call.told = true;
    const answer = await ask('post_tool_call', payload());
    text = afterwards(text, answer);
    stopTurn = answer.stopTurn;
  }
  if (hooks.has('transform_tool_result') && !signal.aborted) {
    const { replace } = await ask('transform_tool_result', payload());
    if (replace !== undefined) text = replace;
  }
  return { modelText: signal.aborted || text === result.text ? undefined : text, stopTurn };
}

/** Of results that are stored: the one place for calls that did not run, or whose hooks were not asked before. */
export function tellResults(hooks: SessionHooks, turn: LiveTurn, rows: readonly TranscriptRow[]): void {
  if (!hooks.has('post_tool_call') && !hooks.has('post_tool_batch')) return;
  for (const { callId, status = 'success', displayText } of rows) {
    const call = callId === undefined ? undefined : turn.calls.get(callId);
    if (!call) continue;
    const payload = resultPayload(call, { status, text: displayText ?? '' });
    if (!call.told) hooks.tell('post_tool_call', payload, turn);
    call.told = true;
    turn.batch = [...turn.batch, payload];
  }
  if (turn.batch.length === 0 || turn.batch.length < (turn.answer?.calls.length ?? 0)) return;
  hooks.tell('post_tool_batch', { tool_calls: turn.batch }, turn);
  turn.batch = [];
}

interface Told {
  readonly status: ResultStatus;
  readonly text: string;
  readonly facts?: ToolResult['facts'];
}

function resultPayload(call: LiveCall, { status, text, facts }: Told): ResultPayload {
  const known = facts ?? call.facts;
  const failed = errorType(call, status, known);
  return {
    ...callPayload(call),
    tool_result: text,
    status: STATUS[status],
    duration_ms: call.ranFor ?? 0,
    ...(failed !== undefined && { error_type: failed, error_message: text }),
    ...(known && { tool_facts: known }),
  };
}

const STATUS: Readonly<Record<ResultStatus, ToolCallStatus>> = {
  success: 'success',
  yielded: 'success',
  error: 'error',
  blocked: 'blocked',
  denied: 'blocked',
  timeout: 'timeout',
  withdrawn: 'cancelled',
  not_run: 'cancelled',
  stopped: 'cancelled',
  abandoned: 'cancelled',
};

function errorType(call: LiveCall, status: ResultStatus, facts: ToolResult['facts']): string | undefined {
  switch (status) {
    case 'success':
    case 'yielded':
      return undefined;
    case 'error':
      return typeof facts?.exit_code === 'number' ? 'exit_code' : 'tool';
    case 'blocked':
      return call.blockedBy ? 'hook' : 'blocked';
    default:
      return status;
  }
}

/** A hook that blocks is too late: what it says is feedback, and so is its context. */
function afterwards(text: string, { replace, block, context, contextBy }: HookAnswer): string {
  return [
    replace ?? text,
    ...(block ? [block.modelText] : []),
    ...(context === undefined ? [] : [contextNote(context, contextBy)]),
  ].join('\n\n');
}

function commandOf({ facts }: ToolResult) {
  const { command, output, exit_code: exitCode } = facts ?? {};
  if (typeof command !== 'string' || typeof output !== 'string') return undefined;
  return { command, output, returncode: typeof exitCode === 'number' ? exitCode : null };
}

/** What stands behind the output stays: how the command ended, and what it left behind. */
function withOutput(text: string, output: string, replaced: string): string {
  const shown = output.trimEnd();
  const rest = text.startsWith(shown) ? text.slice(shown.length).replace(/^\n/, '') : text;
  return [replaced.trimEnd(), rest].filter((part) => part !== '').join('\n');
}

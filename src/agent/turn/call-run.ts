/**
 * One tool call: what it needs before it may run, its run, and its one result.
 */

import type { Choice } from '../../api.ts';
import type { LoopEvent } from '../control/index.ts';
import { decide, describeNeed } from '../safety/index.ts';
import { unknownToolText } from '../tools/index.ts';
import type { DelegatePort, ProcessPort, TodoPort, ToolContext, ToolResult } from '../tools/types.ts';
import type { LiveCall, LiveTurn } from './live-turn.ts';
import { resultText } from './notes.ts';
import type { AgentPorts } from './types.ts';

/** Characters of a running call's output that a view is shown. */
const SHOWN_OUTPUT = 4000;

export interface CallContext {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  readonly turn: LiveTurn;
  readonly processes: ProcessPort;
  readonly todos: TodoPort;
  readonly delegates: DelegatePort | undefined;
  readonly sessionRules: Set<string>;
  tell(event: LoopEvent): void;
  output(call: LiveCall, text: string): void;
}

/** Parses the input, asks the hooks, looks up the permission. Never rejects. */
export async function beginCall(context: CallContext, call: LiveCall): Promise<void> {
  const { turn, ports } = context;
  const of = { turnId: turn.id, callId: call.call.callId };
  try {
    const refusal = refusalOf(context, call);
    if (refusal) return finish(context, call, refusal);
    if (ports.hooks.has('pre_tool_call')) {
      const blocked = await askHooks(context, call);
      if (call.controller.signal.aborted) return;
      if (blocked !== undefined) return finish(context, call, { status: 'blocked', text: blocked });
    }
    const question = call.tool?.question?.(call.input);
    if (question) {
      call.question = { ...question, id: `q-${of.callId}`, ...of };
      return context.tell({ type: 'question', ...of, freeText: question.freeText });
    }
    const need = await call.tool?.permission(call.input, toolContext(context, call));
    if (call.controller.signal.aborted) return;
    const verdict = need
      ? decide(need, {
          sessionRules: context.sessionRules,
          alwaysAllowed: (key) => ports.approvals.isAlwaysAllowed(key),
        })
      : 'allow';
    if (verdict === 'allow' || !need) return context.tell({ type: 'cleared', ...of });
    call.need = need;
    call.approval = {
      ...describeNeed(need),
      id: `a-${of.callId}`,
      sessionId: context.sessionId,
      tool: call.call.name,
      ...of,
    };
    context.tell({ type: 'approval', ...of });
  } catch (error) {
    finish(context, call, { status: 'error', text: errorText(error) });
  }
}

function refusalOf({ ports }: CallContext, call: LiveCall): ToolResult | undefined {
  const { toolsOff } = ports.settings();
  if (toolsOff !== undefined) return { status: 'blocked', text: toolsOff };
  const { tool } = call;
  if (!tool) return { status: 'error', text: unknownToolText(call.call.name, ports.tools.list()) };
  if (call.call.invalidInput !== undefined) {
    return {
      status: 'error',
      text: `The arguments of ${tool.name} are not a JSON object. Nothing was run. Send them again.`,
    };
  }
  const parsed = tool.input.safeParse(call.call.input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `- ${issue.path.join('.') || 'input'}: ${issue.message}`);
    return { status: 'error', text: `The arguments of ${tool.name} are wrong; nothing was run.\n${issues.join('\n')}` };
  }
  call.input = parsed.data;
  call.label = tool.label(parsed.data);
  return undefined;
}

async function askHooks({ ports, sessionId, turn }: CallContext, call: LiveCall): Promise<string | undefined> {
  const payload = {
    session_id: sessionId,
    turn_id: turn.id,
    tool_call_id: call.call.callId,
    tool_name: call.call.name,
    tool_input: call.call.input,
  };
  const answer = await ports.hooks.fire('pre_tool_call', payload, call.controller.signal);
  return answer.block;
}

/** Runs an allowed call. Never rejects; a throw of the tool is an error result. */
export async function runCall(context: CallContext, call: LiveCall): Promise<void> {
  call.startedAt = context.ports.clock.now();
  try {
    const { tool } = call;
    if (!tool) throw new Error(`${call.call.name} has no tool`);
    finish(context, call, await tool.run(call.input, toolContext(context, call)));
  } catch (error) {
    finish(context, call, { status: 'error', text: errorText(error) });
  }
}

/** Keeps the result and tells the machine; the first result of a call counts. */
function finish(context: CallContext, call: LiveCall, result: ToolResult): void {
  if (call.result) return;
  const { turn, ports } = context;
  const { status, text, detail, diff, survivors, childId } = result;
  call.result = {
    text: text === '' ? '(no output)' : text,
    card: {
      label: call.label,
      durationMs: Math.max(0, ports.clock.now() - call.startedAt),
      ...(detail === undefined ? {} : { detail }),
      ...(diff === undefined ? {} : { diff }),
      ...(childId === undefined ? {} : { childId }),
    },
  };
  turn.survivors.push(...(survivors ?? []));
  context.tell({ type: 'result', turnId: turn.id, callId: call.call.callId, status });
}

/** The call is over for the turn: its card is gone, and whatever it still brings is dropped. */
export function closeCall(call: LiveCall): void {
  delete call.approval;
  delete call.question;
  call.result ??= { text: '', card: { label: call.label, durationMs: 0 } };
  call.controller.abort();
}

/** The user's answer to an approval. */
export function answerApproval(context: CallContext, call: LiveCall, choice: Choice, reason: string | undefined): void {
  const { need } = call;
  delete call.approval;
  const of = { turnId: context.turn.id, callId: call.call.callId };
  if (choice === 'deny') {
    const text = resultText('denied', { steered: false, ...(reason ? { reason } : {}) });
    finish(context, call, { status: 'denied', text });
    // Somebody else may wait for the answer, beside other calls that still run.
    return call.controller.abort('denied');
  }
  if (need?.rule && choice === 'session') context.sessionRules.add(need.rule.key);
  if (need?.rule && choice === 'always') context.ports.approvals.allowAlways(need.rule.key, need.rule.words);
  context.tell({ type: 'allowed', ...of });
}

export function answerQuestion(context: CallContext, call: LiveCall, answer: string | readonly string[]): void {
  delete call.question;
  call.answer = answer;
  context.tell({ type: 'allowed', turnId: context.turn.id, callId: call.call.callId });
}

function toolContext(context: CallContext, call: LiveCall): ToolContext {
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
    output: (text) => {
      // What a call still writes when it is over belongs to nobody: its turn may have ended, and another one run.
      if (call.result) return;
      call.output = (call.output + text).slice(-SHOWN_OUTPUT);
      context.output(call, text);
    },
    editor: ports.editor,
    processes: context.processes,
    todos: context.todos,
    ...(context.delegates === undefined ? {} : { delegates: context.delegates }),
    settings: settings.tool,
    ...(call.answer === undefined ? {} : { answer: call.answer }),
  };
}

function errorText(error: unknown): string {
  return `The tool failed: ${error instanceof Error ? error.message : String(error)}`;
}

import { argumentNames, issueWords, toolSpecs, withOwnNames } from '../tools/index.ts';
import type { Tool, ToolResult } from '../tools/types.ts';
import type { LiveCall } from './live-turn.ts';

/** Characters of a changed input that the model is shown. */
const SHOWN_INPUT = 4000;

/** Takes over what the model wrote. @returns why it cannot be run */
export function takeInput(call: LiveCall, tool: Tool): ToolResult | undefined {
  if (call.call.invalidInput !== undefined) {
    return {
      status: 'error',
      text: `The arguments of ${tool.name} are not a JSON object. Nothing was run. Send them again.`,
    };
  }
  return parse(call, tool, call.call.input, `The arguments of ${tool.name} are wrong; nothing was run.`);
}

/** Takes over what a hook made of it, and tells the model so. @returns why it cannot be run */
export function takeChangedInput(call: LiveCall, tool: Tool, input: unknown, by: string): ToolResult | undefined {
  const wrong = `The hook ${by} changed the arguments of ${tool.name}, and they are wrong now; nothing was run.`;
  const refusal = parse(call, tool, input, wrong);
  if (refusal) return refusal;
  call.changedBy = by;
  const shown = (JSON.stringify(input) ?? '').slice(0, SHOWN_INPUT);
  call.notes.push(`[The hook ${by} changed the arguments of this call to: ${shown}]`);
  return undefined;
}

function parse(call: LiveCall, tool: Tool, written: unknown, wrong: string): ToolResult | undefined {
  const [spec] = toolSpecs([tool]);
  const schema = spec?.inputSchema;
  // What others declare is theirs to name.
  const input =
    tool.inputSchema === undefined ? withOwnNames(written, argumentNames(schema), tool.otherNames) : written;
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `- ${issueWords(issue, schema)}`);
    return { status: 'error', text: `${wrong}\n${issues.join('\n')}` };
  }
  call.given = input;
  call.input = parsed.data;
  call.subject = tool.subject(parsed.data);
  return undefined;
}

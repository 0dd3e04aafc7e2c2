import type { DeclaredHandler } from '../dialects/types.ts';
import { HookFailure } from '../types.ts';
import { withinLimit } from './limit.ts';
import type { HandlerRun } from './types.ts';
import { keptText } from './words.ts';

/**
 * Calls the tool; its text is read as a command's stdout.
 * Rejects with a `HookFailure`: `threw` when the call cannot be made, `output` when the tool says that it failed,
 * `timeout`, `aborted`.
 */
export async function runMcpTool(
  { declared, parts, signal, stdin }: HandlerRun,
  handler: DeclaredHandler & { type: 'mcp_tool' },
): Promise<string> {
  const { mcp } = parts;
  if (!mcp) throw new HookFailure('threw', 'There are no MCP servers here.');
  return await withinLimit({ timeout: declared.timeout, signal, kind: 'threw' }, async (until) => {
    const answer = await mcp.callTool(handler.server, handler.tool, filledIn(handler.input ?? {}, stdin), until);
    if (!answer.isError) return answer.text;
    const text = keptText(answer.text);
    throw new HookFailure('output', `${handler.tool} of ${handler.server} failed: ${text}`, { stdout: text });
  });
}

/** `${tool_input.file_path}` in strings becomes what the hook's input has there; a string that is nothing else keeps its type. */
function filledIn(input: unknown, stdin: HandlerRun['stdin']): unknown {
  if (Array.isArray(input)) return input.map((one) => filledIn(one, stdin));
  if (typeof input === 'object' && input !== null) {
    return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, filledIn(value, stdin)]));
  }
  if (typeof input !== 'string') return input;
  const whole = /^\$\{([^}]+)\}$/.exec(input)?.[1];
  if (whole !== undefined) return at(stdin, whole) ?? '';
  return input.replace(/\$\{([^}]+)\}/g, (_, path: string) => {
    const found = at(stdin, path) ?? '';
    return typeof found === 'string' ? found : JSON.stringify(found);
  });
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, key) => {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    return (found as Record<string, unknown>)[key];
  }, value);
}

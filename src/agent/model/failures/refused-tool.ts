import type { ModelError, ToolSpec } from '../types.ts';

/** How APIs name a tool by its place among those that were sent. The more exact one first. */
const PLACES: readonly RegExp[] = [/function_?declarations\[(\d+)\]/i, /\btools\[(\d+)\]/, /\btools\.(\d+)\b/];
const ABOUT_TOOLS = /schema|parameters|function|tool/i;

/**
 * The tool for whose declaration the whole request was refused; undefined when the refusal is about something else, or
 * about no one tool. Its name counts only where it stands in quotes: some tools are called like ordinary words.
 */
export function refusedTool({ kind, detail }: ModelError, tools: readonly ToolSpec[]): ToolSpec | undefined {
  if (kind !== 'bad_request' || !ABOUT_TOOLS.test(detail)) return undefined;
  const named = tools.filter(({ name }) => ["'", '"', '`'].some((quote) => detail.includes(quote + name + quote)));
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  for (const place of PLACES) {
    const at = place.exec(detail)?.[1];
    if (at !== undefined) return tools[Number(at)];
  }
  return undefined;
}

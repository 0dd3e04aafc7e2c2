/** Tools in the words of the Responses API, and the names under which they travel. */

import type { FunctionTool, WebSearchTool } from 'openai/resources/responses/responses';
import type { Quirks } from '../../catalogue/index.ts';
import type { ToolSpec } from '../../types.ts';
import { acceptable } from '../acceptable-schema.ts';
import { toolSchema } from '../tool-schema.ts';
import { toolName, uniqueTools } from '../wire-text.ts';
import { neutralised, neutralisedDeep } from './harmony.ts';

const PREFIX = 'midcourse_';

/** The name of a tool on the wire. The provider keeps some for tools of its own. */
export function wireName(name: string, ways: Quirks): string {
  const plain = toolName(name);
  return ways.reservedTools?.includes(plain) ? toolName(PREFIX + plain) : plain;
}

/** The tool that the model means. Only a name that was really changed is changed back. */
export function namesBack(tools: readonly ToolSpec[], ways: Quirks): (name: string) => string {
  const renamed = new Map<string, string>();
  for (const { name } of tools) if (wireName(name, ways) !== toolName(name)) renamed.set(wireName(name, ways), name);
  return (name) => renamed.get(name) ?? name;
}

export function responsesTools(tools: readonly ToolSpec[], ways: Quirks): (FunctionTool | WebSearchTool)[] {
  const clean = ways.controlTokens ? neutralisedDeep : (value: unknown) => value;
  return uniqueTools(tools).map(({ name, description, inputSchema }) => {
    if (name === 'web_search' && ways.ownWebSearch) return { type: 'web_search' };
    return {
      type: 'function',
      name: wireName(name, ways),
      description: ways.controlTokens ? neutralised(description) : description,
      strict: false,
      parameters: clean(acceptable(toolSchema(inputSchema), ways)) as Record<string, unknown>,
    };
  });
}

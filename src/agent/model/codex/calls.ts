/** Items of Codex as tool calls: their names and what a card shows of them. */

import * as z from 'zod';
import type { ModelCall } from '../types.ts';
import type { LiveItem, Work } from './live-item.ts';
import { scriptOf } from './shell-command.ts';

/** Names of the calls, by the kind of item. */
export const NAMES = {
  commandExecution: 'codex_command',
  fileChange: 'codex_edit',
  mcpToolCall: 'codex_mcp',
  dynamicToolCall: 'codex_tool',
  webSearch: 'codex_search',
  ask: 'codex_ask',
  elicitation: 'codex_mcp_question',
} as const satisfies Record<Work['type'], string>;

/** `item`: the id by which the running item is found again. */
const of = { item: z.string() };

export const inputs = {
  commandExecution: z.object({ ...of, command: z.string(), cwd: z.string(), stdin: z.string().optional() }),
  fileChange: z.object({ ...of, paths: z.array(z.string()) }),
  mcpToolCall: z.object({ ...of, server: z.string(), tool: z.string(), arguments: z.unknown().optional() }),
  dynamicToolCall: z.object({ ...of, tool: z.string(), arguments: z.unknown().optional() }),
  webSearch: z.object({ ...of, query: z.string() }),
  ask: z.object({ ...of, question: z.string(), choices: z.array(z.string()) }),
  elicitation: z.object({ ...of, server: z.string(), message: z.string() }),
} as const satisfies Record<Work['type'], z.ZodType>;

export function callOf({ item }: LiveItem, callId: string): ModelCall {
  return { callId, name: NAMES[item.type], input: { item: item.id, ...shown(item) } };
}

function shown(item: Work): object {
  switch (item.type) {
    case 'commandExecution':
      return { command: scriptOf(item.command), cwd: item.cwd };
    case 'fileChange':
      return { paths: item.changes.map(({ path }) => path) };
    case 'mcpToolCall':
      return { server: item.server, tool: item.tool, arguments: item.arguments };
    case 'dynamicToolCall':
      return { tool: item.tool, arguments: item.arguments };
    case 'webSearch':
      return { query: item.query };
    case 'ask':
      return { question: item.question, choices: item.choices };
    case 'elicitation':
      return { server: item.server, message: item.message };
    default:
      return item satisfies never;
  }
}

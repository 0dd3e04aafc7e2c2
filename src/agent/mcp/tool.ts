import * as z from 'zod';
import type { Tool } from '../tools/index.ts';
import { fenced } from './call-result.ts';
import type { McpServer } from './server.ts';
import type { McpTool } from './types.ts';

/** The server checks its input itself, by its own schema. */
const input = z.looseObject({});

/** Characters of the input that a card shows. */
const SHOWN = 10_000;

/**
 * A server's tool as the model is offered it. Every call asks unless the user has allowed this tool of this server: that
 * it only reads is what the server says of itself.
 *
 * @param name as in `toolNames`
 */
export function mcpTool(server: McpServer, tool: McpTool, name: string): Tool<z.infer<typeof input>> {
  return {
    name,
    description: tool.description || `The tool ${tool.name} of the MCP server ${server.name}.`,
    input,
    inputSchema: tool.inputSchema,
    // One that only reads may run beside tools of others; its server still takes one call at a time.
    overlap: server.parallel || tool.readOnly ? 'parallel' : 'barrier',
    label: () => `Used ${tool.name} of ${server.name}`,
    permission: async (values) => ({
      kind: 'run',
      summary: `Use ${tool.name} of the MCP server ${server.name}`,
      why: tool.readOnly
        ? 'It comes from an MCP server, which says that it changes nothing.'
        : 'It comes from an MCP server and may change things.',
      command: `${tool.name} ${JSON.stringify(values)}`.slice(0, SHOWN),
      rule: {
        key: `mcp:${server.name}:${tool.name}`,
        words: `the tool ${tool.name} of the MCP server ${server.name}, with any input`,
      },
    }),
    async run(values, { signal }) {
      try {
        const answer = await server.call(tool.name, values, signal);
        const text = fenced(answer.text, server.name);
        return answer.isError
          ? { status: 'error', text: `${tool.name} failed:\n${text}` }
          : { status: 'success', text };
      } catch (error) {
        if (signal.aborted)
          return { status: 'stopped', text: `${tool.name} was told to stop; it may have run in part.` };
        return { status: 'error', text: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { visibleLine } from '../../words/visible-text.ts';
import { suspiciousOrder, withoutHidden } from '../safety/index.ts';
import type { Tool } from '../tools/index.ts';
import { fenced } from './call-result.ts';
import { mapTexts, textsOf, withoutDescriptions } from './schema-texts.ts';
import type { McpServer } from './server.ts';
import type { McpTool } from './types.ts';

/** The server checks its input itself, by its own schema. */
const input = z.looseObject({});

/**
 * What *Always* is remembered for: this tool, as it is described now, of this server, as it is declared now. A server
 * that has come to be another one, or a tool that has come to do something else under its name, asks again.
 */
function ruleKey({ declared }: McpServer, { name, description, inputSchema, readOnly }: McpTool): string {
  const { definition, source } = declared;
  // Where a definition stands in its file says nothing of it.
  const { source: _, ...is } = definition ?? { source };
  const described = JSON.stringify([is, source.is, description, inputSchema, readOnly]);
  const hash = createHash('sha256').update(described).digest('hex').slice(0, 16);
  return `mcp:${JSON.stringify([declared.name, name])}:${hash}`;
}

/**
 * A server's tool as the model is offered it. Every call asks unless the user has allowed this tool of this server: that
 * it only reads is what the server says of itself.
 *
 * @param name as in `toolNames`
 */
export function mcpTool(server: McpServer, tool: McpTool, name: string): Tool<z.infer<typeof input>> {
  const shown = visibleLine(tool.name);
  const from = visibleLine(server.name);
  const key = ruleKey(server, tool);
  return {
    name,
    ...described(tool, server.name),
    input,
    // One that only reads may run beside tools of others; its server still takes one call at a time.
    overlap: server.parallel || tool.readOnly ? 'parallel' : 'barrier',
    subject: () => ({ verb: 'use', object: shown, where: from }),
    permission: async (values) => ({
      kind: 'run',
      summary: `Use ${shown} of the MCP server ${from}`,
      why: tool.readOnly
        ? 'It comes from an MCP server, which says that it changes nothing.'
        : 'It comes from an MCP server and may change things.',
      command: `${tool.name} ${JSON.stringify(values)}`,
      rule: {
        key,
        words: `the tool ${shown} of the MCP server ${from}, with any input`,
      },
    }),
    async run(values, { signal }) {
      try {
        const answer = await server.call(tool.name, values, signal);
        const text = fenced(answer.text, server.name);
        const images = answer.images ? { images: answer.images } : {};
        return answer.isError
          ? { status: 'error', text: `${tool.name} failed:\n${text}`, ...images }
          : { status: 'success', text, ...images };
      } catch (error) {
        if (signal.aborted)
          return { status: 'stopped', text: `${tool.name} was told to stop; it may have run in part.` };
        return { status: 'error', text: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/**
 * What a server says of its tool reaches the model without characters that nobody sees, and not at all where it gives
 * suspicious orders: then the model knows the tool by its name, and its schema without words.
 */
function described(
  tool: McpTool,
  server: string,
): Pick<Tool, 'description'> & { readonly inputSchema: McpTool['inputSchema'] } {
  const plain = `The tool ${tool.name} of the MCP server ${server}.`;
  const description = withoutHidden(tool.description).text || plain;
  const schema = mapTexts(tool.inputSchema, (text) => withoutHidden(text).text);
  const words = [description, ...textsOf(schema)].join('\n');
  const why = suspiciousOrder(words);
  if (why === undefined) return { description, inputSchema: schema };
  const bare = withoutDescriptions(schema);
  // Names of fields and values that are words to be followed are no schema.
  const inputSchema = suspiciousOrder(textsOf(bare).join('\n')) === undefined ? bare : { type: 'object' };
  return { description: `${plain} What it says of itself is left out: ${why}.`, inputSchema };
}

/** An MCP server with one tool, over standard input and output. */

import { createInterface } from 'node:readline';

const TOOL = {
  name: 'say',
  description: 'Says it.',
  inputSchema: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
};

function resultOf(method: string, params: { readonly protocolVersion?: string; readonly arguments?: object }): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1' },
      };
    case 'tools/list':
      return { tools: [TOOL] };
    case 'tools/call':
      return { content: [{ type: 'text', text: `said ${JSON.stringify(params.arguments)}` }] };
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: object };
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params ?? {}) })}\n`);
});

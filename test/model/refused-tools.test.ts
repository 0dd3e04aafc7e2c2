/** Tools that a server declares, and APIs that refuse the whole request for one of them. */

import assert from 'node:assert/strict';
import { refusedTool } from '../../src/agent/model/index.ts';
import type { ModelError } from '../../src/agent/model/types.ts';
import { toolSchema } from '../../src/agent/model/wires/tool-schema.ts';
import type { ToolDefinition } from '../../src/api.ts';
import type { RecordedRequest } from '../model-server/index.ts';
import { answer, FailureRig, refusal } from './failure-rig.ts';

const names = ({ body }: RecordedRequest) =>
  (body as { tools: readonly { function: { name: string } }[] }).tools.map(({ function: { name } }) => name);

describe('the schema of a tool', () => {
  const DECLARED: readonly (readonly [what: string, declared: Record<string, unknown>, sent: object])[] = [
    ['nothing but the type', { type: 'object' }, { type: 'object', properties: {} }],
    ['nothing', {}, { type: 'object', properties: {} }],
    ['a property that is true', { properties: { a: true } }, { type: 'object', properties: { a: {} } }],
    [
      'a list of anything',
      { properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ],
    ['what is required and not there', { properties: {}, required: ['a'] }, { type: 'object', properties: {} }],
    [
      'alternatives',
      {
        anyOf: [
          { properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] },
          { properties: { a: {} }, required: ['a'] },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a'] },
    ],
    [
      'all of several',
      {
        allOf: [{ $ref: '#/$defs/a' }, { properties: { b: {} }, required: ['b'] }],
        $defs: { a: { properties: { a: {} }, required: ['a'] } },
      },
      {
        $defs: { a: { properties: { a: {} }, required: ['a'] } },
        type: 'object',
        properties: { a: {}, b: {} },
        required: ['a', 'b'],
      },
    ],
  ];
  for (const [what, declared, sent] of DECLARED) {
    it(`G1. is an object with properties that declares ${what}`, () => assert.deepEqual(toolSchema(declared), sent));
  }
});

describe('a refusal that names a tool', () => {
  const spec = (name: string) => ({ name, description: '', inputSchema: {} });
  const tools = [spec('read_file'), spec('mcp__a__one'), spec('mcp__b__two')];
  const error = (detail: string, kind: ModelError['kind'] = 'bad_request'): ModelError => ({
    kind,
    detail,
    message: '',
    retryable: false,
  });

  const WORDS: readonly (readonly [says: string, tool: string | undefined])[] = [
    ["Invalid schema for function 'mcp__b__two': In context=(), object schema missing properties.", 'mcp__b__two'],
    ['tools.1.custom.input_schema: JSON schema is invalid', 'mcp__a__one'],
    [
      'GenerateContentRequest.tools[0].function_declarations[2].parameters.properties: should be non-empty',
      'mcp__b__two',
    ],
    [
      'The value at toolConfig.tools.1.toolSpec.inputSchema.json.type must be one of the following: object.',
      'mcp__a__one',
    ],
    ['tools[9].function.parameters: wrong', undefined],
    ['read_file is a fine function', undefined],
    ["Both 'read_file' and 'mcp__a__one' are wrong functions", undefined],
    ['max_tokens is wrong', undefined],
  ];
  for (const [says, tool] of WORDS) {
    it(`G1a. is understood: ${says}`, () => assert.equal(refusedTool(error(says), tools)?.name, tool));
  }

  it('G1b. takes that tool out for the turn, names its server, and the turn continues', async () => {
    const rig = await FailureRig.start();
    try {
      const tool = (name: string): ToolDefinition => ({
        name,
        description: 'A test.',
        inputSchema: { type: 'object' },
        readOnly: true,
        invoke: async () => 'ok',
      });
      rig.rig.registry.register(tool('mcp__shop__buy'));
      rig.rig.registry.register(tool('mcp__shop__sell'));
      const result = await rig.turn(
        'Go',
        refusal(400, "Invalid schema for function 'mcp__shop__buy': no."),
        answer('Done.'),
      );
      assert.equal(result.finalText, 'Done.');
      assert.equal(result.failed, false);
      const [first, second] = rig.rig.server.requests;
      assert.deepEqual(first && names(first).filter((name) => name.startsWith('mcp')), [
        'mcp__shop__buy',
        'mcp__shop__sell',
      ]);
      assert.deepEqual(second && names(second).filter((name) => name.startsWith('mcp')), ['mcp__shop__sell']);
      assert.match(rig.notices('tool_refused').join(), /mcp__shop__buy of the MCP server shop/);
      assert.deepEqual(rig.waits, []);
      await rig.turn('Again', answer('Yes.'));
      assert.ok(names(rig.rig.server.requests[2] ?? assert.fail()).includes('mcp__shop__buy'), 'for this turn alone');
    } finally {
      await rig.rig.close();
    }
  });
});

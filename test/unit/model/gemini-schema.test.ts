import assert from 'node:assert/strict';
import { geminiTools } from '../../../src/agent/model/wires/gemini/schema.ts';
import { createBuiltinTools, toolSpecs } from '../../../src/agent/tools/index.ts';
import { validateGemini } from '../../model-server/index.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** What becomes of one property, in a tool that Gemini takes. */
function cleaned(property: JsonSchema, root: JsonSchema = {}): unknown {
  const inputSchema = { ...root, type: 'object', properties: { p: property } };
  const functionDeclarations = geminiTools([{ name: 'tool', description: 'Does it.', inputSchema }]);
  const body = { contents: [{ role: 'user', parts: [{ text: 'x' }] }], tools: [{ functionDeclarations }] };
  assert.equal(validateGemini(JSON.parse(JSON.stringify(body)), 3), undefined);
  return functionDeclarations[0]?.parameters?.properties?.p;
}

describe('the schema of a tool, for Gemini', () => {
  it('is taken for each of our own tools', () => {
    const functionDeclarations = geminiTools(toolSpecs(createBuiltinTools()));
    assert.ok(functionDeclarations.length > 5);
    const body = { contents: [{ role: 'user', parts: [{ text: 'x' }] }], tools: [{ functionDeclarations }] };
    assert.equal(validateGemini(JSON.parse(JSON.stringify(body)), 3), undefined);
  });

  it('is left out where a tool takes nothing', () => {
    const [tool] = geminiTools([{ name: 'tool', description: 'x', inputSchema: { type: 'object', properties: {} } }]);
    assert.deepEqual(tool, { name: 'tool', description: 'x' });
  });

  const cases: readonly (readonly [what: string, json: JsonSchema, gemini: unknown])[] = [
    [
      'loses keywords that are not known',
      { type: 'string', $comment: 'x', contentEncoding: 'base64' },
      { type: 'STRING' },
    ],
    ['loses formats that are not known', { type: 'string', format: 'uri' }, { type: 'STRING' }],
    [
      'keeps what is known',
      { type: 'string', description: 'd', pattern: '^a', maxLength: 3 },
      { description: 'd', pattern: '^a', type: 'STRING', maxLength: 3 },
    ],
    [
      'has whole numbers as bounds',
      { type: 'integer', exclusiveMinimum: 0, maximum: 9 },
      { type: 'INTEGER', minimum: 1, maximum: 9 },
    ],
    ['has a constant as the only choice', { const: 'a' }, { type: 'STRING', enum: ['a'] }],
    ['has no choice of numbers', { type: 'integer', enum: [1, 2] }, { type: 'INTEGER' }],
    ['says that nothing is allowed too', { type: ['string', 'null'] }, { nullable: true, type: 'STRING' }],
    [
      'takes the one alternative beside nothing',
      { anyOf: [{ type: 'number' }, { type: 'null' }] },
      { type: 'NUMBER', nullable: true },
    ],
    [
      'has alternatives of one kind only',
      { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      { anyOf: [{ type: 'STRING' }, { type: 'BOOLEAN' }] },
    ],
    [
      'has several types as alternatives',
      { type: ['string', 'integer'], minimum: 1 },
      { anyOf: [{ type: 'STRING' }, { type: 'INTEGER', minimum: 1 }] },
    ],
    ['has items wherever there is an array', { type: 'array' }, { type: 'ARRAY', items: { type: 'STRING' } }],
    [
      'requires only what there is',
      { type: 'object', properties: { a: {} }, required: ['a', 'b'] },
      { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
    ],
    [
      'puts together what has to fit together',
      {
        allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'boolean' } } }],
      },
      { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'BOOLEAN' } }, required: ['a'] },
    ],
  ];
  for (const [what, json, gemini] of cases) it(what, () => assert.deepEqual(cleaned(json), gemini));

  it('follows references inside the document, and none for ever', () => {
    const $defs = {
      id: { type: 'string', minLength: 1 },
      node: { type: 'object', properties: { id: { $ref: '#/$defs/id' }, next: { $ref: '#/$defs/node' } } },
    };
    assert.deepEqual(cleaned({ $ref: '#/$defs/node', description: 'First' }, { $defs }), {
      description: 'First',
      type: 'OBJECT',
      properties: { id: { type: 'STRING', minLength: 1 }, next: { type: 'OBJECT' } },
    });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readArguments } from '../../../src/agent/model/wires/arguments.ts';

describe('the arguments of a call', () => {
  const mended: [string, string, object][] = [
    ['blank ones', ' \n', {}],
    ['what Python writes for none', 'None', {}],
    ['null', 'null', {}],
    ['a raw line break in a string', '{"a":"x\ny"}', { a: 'x\ny' }],
    ['trailing commas', '{"a":[1,2,],}', { a: [1, 2] }],
    ['an inner closer that is missing', '{"a":[1,{"b":2]}', { a: [1, { b: 2 }] }],
    ['closers too many', '{"a":1}}] }', { a: 1 }],
    ['all of it at once', '{"a":["x\ty",{"b":1,}}}}', { a: ['x\ty', { b: 1 }] }],
  ];
  for (const [what, text, input] of mended) {
    it(`are read with ${what}`, () => assert.deepEqual(readArguments(text), { is: 'whole', input }));
  }

  it('keep what only looks like a mistake inside a string', () => {
    const input = { a: 'x,]} "y" \\', b: '\u0001' };
    assert.deepEqual(readArguments(JSON.stringify(input)), { is: 'whole', input });
    assert.deepEqual(readArguments('{"a":",}","b":1,}'), { is: 'whole', input: { a: ',}', b: 1 } });
  });

  it('are invalid when they are closed and no object, or go on behind it', () => {
    for (const text of ['{"path": nope}', '[1]', '"x"', '{"a":1} and more', `{"a":1}${'}'.repeat(51)}`])
      assert.equal(readArguments(text).is, 'invalid', text);
  });

  it('are invalid when they are nested deeper than anything can write again', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.equal(readArguments(nested(400)).is, 'whole');
    assert.equal(readArguments(nested(50_000)).is, 'invalid');
    assert.equal(readArguments(nested(50_000).slice(0, 50_000)).is, 'unfinished');
  });

  it('are never whole when they were cut, wherever that was', () => {
    const value = fc.object({ maxDepth: 3, values: [fc.string({ unit: 'binary' }), fc.integer(), fc.boolean()] });
    fc.assert(
      fc.property(value, fc.nat(), (input, at) => {
        const text = JSON.stringify(input);
        const part = text.slice(0, 1 + (at % Math.max(1, text.length - 1)));
        if (part.length < text.length) assert.equal(readArguments(part).is, 'unfinished', part);
      }),
      { numRuns: 2000 },
    );
  });
});

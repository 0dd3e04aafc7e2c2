/** Any stream of a wire, cut at any byte and split at any bytes: what the turn keeps of it, and what it asks next. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ModelMessage, ModelPart, ModelWire } from '../../src/agent/model/types.ts';
import { RecordedRequest } from '../model-server/request.ts';
import type { Finish, ScriptCall } from '../model-server/script.ts';
import { SERVED } from '../model-server/wires.ts';
import { ending, requestOf, run, type TestedWire, textOf } from '../unit/model/wire-fixture.ts';

type Said = { readonly text: string } | { readonly reasoning: string } | { readonly call: ScriptCall };

/** How a stream is written, and what becomes of it on its way. */
interface Fuzzed {
  readonly said: readonly Said[];
  readonly finish: Finish | undefined;
  /** In [0, 1]: where it ends; 1 is whole. */
  readonly cut: number;
  readonly breaks: boolean;
  /** In [0, 1]: where the network splits it. */
  readonly splits: readonly number[];
}

const words = fc.oneof(
  fc.constantFrom(
    'Hello ',
    '\n<think>\nhm\n</think>\n',
    'Grüße 🙂',
    '{"a":',
    'data: x\n\n',
    '```\n<think>',
    '**A****B**',
    ' ',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => text.toWellFormed()),
);
const input = fc.dictionary(
  fc.string({ maxLength: 4 }).filter((key) => key !== '__proto__'),
  fc.oneof(words, fc.jsonValue({ maxDepth: 2 })),
  { maxKeys: 3 },
);
const call = fc
  .record({ input, split: fc.integer({ min: 1, max: 20 }), bare: fc.boolean() })
  .map(({ input: value, split, bare }) => ({
    name: 'read_file',
    split,
    ...(bare ? { arguments: '' } : { input: value }),
  }));
const said: fc.Arbitrary<Said> = fc.oneof(
  words.map((text) => ({ text })),
  words.map((reasoning) => ({ reasoning })),
  call.map((written) => ({ call: written })),
);
const share = fc.double({ min: 0, max: 1, noNaN: true });

const fuzzed: fc.Arbitrary<Fuzzed> = fc.record({
  said: fc.array(said, { maxLength: 6 }),
  finish: fc.constantFrom(undefined, undefined, undefined, 'length', 'content_filter'),
  cut: fc.oneof(share, fc.constant(1)),
  breaks: fc.boolean(),
  splits: fc.array(share, { maxLength: 6 }),
});

/** Throws when some stream leads to a call that was not whole, or to a request that the API would refuse. */
export async function fuzz(tested: TestedWire, numRuns: number, seed?: number): Promise<void> {
  const platform: Platform = { fetch };
  // One for all streams, as a session has: what it learns of one may not spoil the next.
  const wire = tested.create(NOWHERE, { fetch: (url, init) => platform.fetch(url, init) });
  await fc.assert(
    fc.asyncProperty(fuzzed, (one) => check(tested, { wire, platform }, one)),
    { numRuns, ...(seed !== undefined && { seed }) },
  );
}

const NOWHERE = { origin: 'http://127.0.0.1:9' };

interface Platform {
  fetch: typeof fetch;
}

async function check(
  tested: TestedWire,
  { wire, platform }: { readonly wire: ModelWire; readonly platform: Platform },
  one: Fuzzed,
): Promise<void> {
  const { bytes, closing } = written(tested, one);
  const end = Math.round(one.cut * bytes.length);
  const sent: Sent[] = [];
  platform.fetch = serving(tested, pieces(bytes, end, one.splits), one.breaks, sent);
  const parts = await run(wire);
  const last = ending(parts);
  const calls = last.type === 'end' ? last.calls : [];
  const meant = one.said.flatMap((each) => ('call' in each ? [each.call.input ?? {}] : []));
  if (one.cut === 1 && !one.breaks && one.finish === undefined) assert.equal(calls.length, meant.length);
  if (calls.length > 0) {
    assert.ok(end >= closing, `a call of a stream that was cut at byte ${end} of ${bytes.length}, before ${closing}`);
    assert.deepEqual(
      calls.map(({ input: read }) => read),
      JSON.parse(JSON.stringify(meant)),
    );
  }
  await run(wire, requestOf([...requestOf().messages, ...kept(parts)]));
  for (const request of sent) assert.equal(refused(tested, request), undefined);
  assert.equal(sent.length, 2);
}

/** The bytes of the stream, and from which on it is whole. */
function written(
  tested: TestedWire,
  { said: steps, finish }: Fuzzed,
): { readonly bytes: Uint8Array; readonly closing: number } {
  const frames = tested.frames();
  const before = [...frames.open(), ...steps.flatMap((step) => framesOf(frames, step))];
  const bytes = (some: readonly (string | Uint8Array)[]) => Buffer.concat(some.map((frame) => Buffer.from(frame)));
  const start = bytes(before);
  return { bytes: Buffer.concat([start, bytes(frames.close(finish))]), closing: start.length };
}

function framesOf(frames: ReturnType<TestedWire['frames']>, step: Said): readonly (string | Uint8Array)[] {
  if ('text' in step) return frames.text(step.text);
  return 'reasoning' in step ? frames.reasoning(step.reasoning) : frames.call(step.call);
}

function pieces(bytes: Uint8Array, end: number, splits: readonly number[]): Uint8Array[] {
  const places = [...new Set(splits.map((at) => Math.round(at * end)))].sort((a, b) => a - b);
  const cuts = [0, ...places, end];
  return cuts.slice(1).map((to, index) => bytes.slice(cuts[index], to));
}

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers with these pieces, and notes what it was asked. */
function serving(tested: TestedWire, arriving: readonly Uint8Array[], breaks: boolean, sent: Sent[]): typeof fetch {
  return async (url, init) => {
    const { pathname: path, host } = new URL(String(url));
    const body = String(init?.body);
    // What the platform adds may be signed.
    const added = { host, 'content-length': String(Buffer.byteLength(body)) };
    sent.push({ path, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...added }, body });
    const waiting = [...arriving];
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = waiting.shift();
        if (next !== undefined) controller.enqueue(next);
        else if (breaks) controller.error(new TypeError('terminated'));
        else controller.close();
      },
    });
    return new Response(stream, { headers: { 'content-type': tested.contentType } });
  };
}

/** What the turn keeps: a whole answer with its results, the shown text of another with a word to go on, or nothing. */
function kept(parts: readonly ModelPart[]): readonly ModelMessage[] {
  const last = ending(parts);
  const text = textOf(parts);
  const thinking = last.type === 'end' ? last.thinking : [];
  if (last.type === 'end' && last.calls.length > 0) {
    const results = last.calls.map(({ callId, name }) => ({
      role: 'tool' as const,
      callId,
      name,
      text: 'ok',
      isError: false,
    }));
    return [
      { role: 'assistant', text, thinking, calls: unique(last.calls) },
      ...results.map((result, index) => ({ ...result, callId: `${result.callId}_${index}` })),
    ];
  }
  if (text.trim() === '') return [];
  return [
    { role: 'assistant', text, thinking, calls: [] },
    { role: 'user', text: 'Go on.' },
  ];
}

/** As the turn keeps them apart. */
function unique<Call extends { readonly callId: string }>(calls: readonly Call[]): Call[] {
  return calls.map((each, index) => ({ ...each, callId: `${each.callId}_${index}` }));
}

function refused(tested: TestedWire, { path, headers, body }: Sent): string | undefined {
  const served = SERVED.find((wire) => wire.serves(path));
  if (served === undefined) return `${tested.name}: nobody serves ${path}`;
  const bytes = Buffer.from(body);
  const request = new RecordedRequest({ index: 0, wire: served.name, path, headers, port: 0, arrivedAt: 0, bytes });
  return served.validate(request);
}

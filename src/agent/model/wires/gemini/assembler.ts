/** Puts the chunks of a Gemini stream together. */

import * as z from 'zod';
import { ModelFailure } from '../../failures/failure.ts';
import type { Finish, ModelPart, SignedThinking } from '../../types.ts';
import { callOf, readArguments } from '../arguments.ts';
import type { Assembler } from '../exchange/exchange.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { cut, fitting, jsonOf } from '../frames.ts';
import { sealSignature } from './signatures.ts';
import { GeminiUsage, usageOfGemini } from './usage.ts';

const Text = z.string().nullish().catch(undefined);

const FunctionCall = z.object({
  id: Text,
  name: Text,
  /** An object; servers in between send it as text too. */
  args: z.unknown().optional(),
  /** Vertex streams arguments in pieces where it is asked to, which this wire does not. */
  partialArgs: z.array(z.unknown()).nullish().catch(undefined),
  willContinue: z.boolean().nullish().catch(undefined),
});

const Part = z.object({
  text: Text,
  thought: z.boolean().nullish().catch(undefined),
  thoughtSignature: Text,
  functionCall: FunctionCall.nullish(),
});

const Chunk = z.object({
  responseId: Text,
  candidates: z
    .array(z.object({ content: z.object({ parts: z.array(Part).nullish() }).nullish(), finishReason: Text }))
    .nullish(),
  promptFeedback: z.object({ blockReason: Text }).nullish().catch(undefined),
  usageMetadata: GeminiUsage.nullish().catch(undefined),
  error: z.unknown().optional(),
});

interface Slot {
  readonly id: string;
  name: string;
  signature: string;
  /** The arguments as JSON. */
  text: string;
  /** More of it was announced. */
  open: boolean;
}

export class GeminiAssembler implements Assembler {
  readonly #signer: string;
  /** In the order in which the calls began. */
  readonly #slots: Slot[] = [];
  #textSignature = '';
  #responseId: string | undefined;
  #spoke = false;
  #finish: Finish | undefined;
  #usage: z.infer<typeof GeminiUsage> | undefined;

  /** The signer is who made the signatures: a host's model. */
  constructor(signer: string) {
    this.#signer = signer;
  }

  get closed(): boolean {
    return this.#finish !== undefined && this.#usage !== undefined;
  }

  get responseId(): string | undefined {
    return this.#responseId;
  }

  get begun(): readonly string[] {
    return this.#slots.map(({ name }) => name);
  }

  /** There is no event for it: all chunks of an answer have one id. */
  startsOver({ data }: ServerEvent): boolean {
    const id = this.#responseId;
    if (id === undefined || data.includes(JSON.stringify(id))) return false;
    const other = /"responseId"\s*:\s*"([^"\\]+)"/.exec(data)?.[1];
    return other !== undefined && other !== id;
  }

  *push(event: ServerEvent): Generator<ModelPart> {
    if (event.data !== '') yield* this.#read(parseChunk(event));
  }

  *whole(body: unknown): Generator<ModelPart> {
    yield* this.#read(chunkOf(body));
  }

  *#read(chunk: z.infer<typeof Chunk>): Generator<ModelPart> {
    this.#responseId ??= chunk.responseId ?? undefined;
    // The counts are those of the answer so far.
    this.#usage = chunk.usageMetadata ?? this.#usage;
    const [candidate] = chunk.candidates ?? [];
    this.#finish =
      finishOf(candidate?.finishReason) ?? (chunk.promptFeedback?.blockReason ? 'content_filter' : this.#finish);
    for (const part of candidate?.content?.parts ?? []) {
      if (part.functionCall) yield this.#call(part.functionCall, part.thoughtSignature ?? '');
      else yield* this.#text(part);
    }
  }

  end(): ModelPart {
    const finish = this.#wholeFinish();
    const calls = finish === 'tool_calls' ? this.#slots.map(callOf) : [];
    return { type: 'end', finish, calls, thinking: this.#signatures(), ...this.usage() };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined ? {} : { usage: usageOfGemini(this.#usage) };
  }

  /** Throws when nothing proves that the answer is whole. */
  #wholeFinish(): Finish {
    if (this.#finish === undefined) {
      const silent = !this.#spoke && this.#slots.length === 0;
      throw cut(silent ? 'The stream was empty.' : 'The stream ended without a finish reason.');
    }
    if (this.#finish === 'length' || this.#finish === 'content_filter') return this.#finish;
    const open = this.#slots.filter((slot) => slot.open || readArguments(slot.text).is === 'unfinished');
    if (open.length > 0) throw cut(`The arguments of ${open.map(({ name }) => name).join(', ')} are unfinished.`);
    return this.#slots.length > 0 ? 'tool_calls' : 'stop';
  }

  *#text({ text, thought, thoughtSignature }: z.infer<typeof Part>): Generator<ModelPart> {
    if (thoughtSignature && !thought) this.#textSignature = thoughtSignature;
    if (!text) return;
    this.#spoke = true;
    yield { type: thought ? 'reasoning' : 'text', text };
  }

  /** A call comes with all of its arguments; one that comes again comes with all of them again. */
  #call(call: z.infer<typeof FunctionCall>, signature: string): ModelPart {
    const slot = this.#slotOf(call, signature);
    if (call.name) slot.name = call.name;
    if (signature !== '') slot.signature = signature;
    const { args } = call;
    if (args !== undefined && args !== null) slot.text = typeof args === 'string' ? args : JSON.stringify(args);
    slot.open = call.willContinue === true || (call.partialArgs?.length ?? 0) > 0 || slot.name === '';
    return {
      type: 'call_progress',
      index: this.#slots.indexOf(slot),
      name: slot.name,
      characters: slot.text.length,
    };
  }

  /** By its id, or without one by its signature. Calls that have neither are different ones, however much alike. */
  #slotOf({ id, name }: z.infer<typeof FunctionCall>, signature: string): Slot {
    const known = this.#slots.find((slot) =>
      id ? slot.id === id : slot.id === '' && signature !== '' && slot.signature === signature,
    );
    const last = this.#slots.at(-1);
    const slot = known ?? (!name && last?.open === true ? last : undefined);
    if (slot !== undefined) return slot;
    const fresh: Slot = { id: id ?? '', name: '', signature: '', text: '', open: false };
    this.#slots.push(fresh);
    return fresh;
  }

  #signatures(): SignedThinking[] {
    const ofCalls = this.#slots.flatMap(({ signature }, index) =>
      signature === '' ? [] : [sealSignature(index, signature, this.#signer)],
    );
    return this.#textSignature === ''
      ? ofCalls
      : [sealSignature('text', this.#textSignature, this.#signer), ...ofCalls];
  }
}

function parseChunk(event: ServerEvent): z.infer<typeof Chunk> {
  const body = jsonOf(event);
  if (event.event === 'error') throw new ModelFailure({ at: 'frame', body });
  return chunkOf(body);
}

function chunkOf(body: unknown): z.infer<typeof Chunk> {
  const chunk = fitting(Chunk, body);
  if (chunk.error) throw new ModelFailure({ at: 'frame', body });
  return chunk;
}

/** Of each reason that this API has for keeping an answer back. */
const FILTERS: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
]);

function finishOf(reason: string | null | undefined): Finish | undefined {
  if (!reason || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  if (reason === 'MAX_TOKENS') return 'length';
  return FILTERS.has(reason) ? 'content_filter' : 'stop';
}

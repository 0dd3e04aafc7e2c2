/** Puts the chunks of a Chat Completions stream together. */

import { ModelFailure } from '../../failures/failure.ts';
import type { Finish, ModelPart, SignedThinking, ToolSpec } from '../../types.ts';
import { ErrorText } from '../exchange/error-text.ts';
import type { Assembler } from '../exchange/exchange.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { cut } from '../frames.ts';
import { seal } from '../seals.ts';
import { BoldHeadings } from './bold-headings.ts';
import { ChatCalls } from './calls.ts';
import { type Chunk, chunkOf, finishOf, isLast, parseChunk, saidIn, thoughtIn } from './chunk.ts';
import { HarmonyText } from './harmony-text.ts';
import { ANY_HOST, CHAT_SEALS } from './messages.ts';
import { DetailBlocks, readable } from './reasoning-details.ts';
import { type Piece, ThinkTags } from './think-tags.ts';
import { type ChatUsage, isCounted, usageOfChat } from './usage.ts';
import { type WrittenCall, WrittenCalls } from './written-calls.ts';

export interface ChatAssembly {
  /** Who gets back what the answer leaves behind. */
  readonly host: string;
  /** The reasoning of an answer with calls has to come back. */
  readonly keepsReasoning: boolean;
  /** Tools whose calls the model may write as text, because its server takes none apart; none where a server surely does. */
  readonly writtenTools: readonly ToolSpec[];
}

export class ChatAssembler implements Assembler {
  readonly #assembly: ChatAssembly;
  readonly #calls = new ChatCalls();
  readonly #thinkTags = new ThinkTags();
  readonly #harmony = new HarmonyText();
  readonly #written: WrittenCalls;
  /** Calls that came as text. */
  readonly #asText: WrittenCall[] = [];
  readonly #errorText = new ErrorText();
  readonly #headings = new BoldHeadings();
  readonly #details = new DetailBlocks();
  #reasoning = '';
  #done = false;
  #spoke = false;
  #finish: Finish | undefined;
  #usage: ChatUsage | undefined;
  #responseId: string | undefined;
  /** Those that have its id. */
  #chunks = 0;

  constructor(assembly: ChatAssembly) {
    this.#assembly = assembly;
    this.#written = new WrittenCalls(assembly.writtenTools);
  }

  get closed(): boolean {
    return this.#done;
  }

  get responseId(): string | undefined {
    return this.#responseId;
  }

  get begun(): readonly string[] {
    return this.#calls.names;
  }

  /**
   * There is no event for it: a chunk with another id that has the role again. Some servers give each chunk an id of its
   * own, so the first one has to have come more than once.
   */
  startsOver(event: ServerEvent): boolean {
    const { data } = event;
    const id = this.#responseId;
    if (id === undefined || data.includes(JSON.stringify(id))) {
      this.#chunks += 1;
      return false;
    }
    if (this.#chunks < 2 || !/"role"\s*:\s*"assistant"/.test(data)) return false;
    const other = parseChunk(event).id;
    return Boolean(other) && other !== id;
  }

  *push(event: ServerEvent): Generator<ModelPart> {
    const { data } = event;
    if (data.startsWith('[DONE]')) {
      this.#done = true;
      return yield* this.#flush();
    }
    if (data !== '') yield* this.#take(parseChunk(event), data);
  }

  *whole(body: unknown): Generator<ModelPart> {
    yield* this.#take(chunkOf(body), JSON.stringify(body));
    this.#done = true;
    yield* this.#flush();
  }

  end(): ModelPart {
    this.#takeWritten();
    const finish = this.#wholeFinish();
    const dropped = finish === 'length' || finish === 'content_filter' ? this.#calls.names : [];
    const calls = finish === 'tool_calls' ? this.#calls.calls() : [];
    return {
      type: 'end',
      finish,
      calls,
      thinking: this.#left(),
      ...(dropped.length > 0 && { droppedCalls: dropped }),
      ...this.usage(),
    };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined || !isCounted(this.#usage) ? {} : { usage: usageOfChat(this.#usage) };
  }

  *#take(chunk: Chunk, data: string): Generator<ModelPart> {
    // Finish and usage first: a chunk that has them may have nothing else.
    this.#usage = chunk.usage ?? chunk.x_groq?.usage ?? this.#usage;
    this.#responseId ??= chunk.id || undefined;
    const choice = chunk.choices?.[0];
    const finish = finishOf(choice?.finish_reason);
    const delta = choice?.delta ?? choice?.message;
    const details = delta?.reasoning_details ?? [];
    this.#details.push(details);
    yield* this.#reason(delta?.reasoning_content || delta?.reasoning || readable(details) || thoughtIn(delta?.content));
    const content = saidIn(delta?.content);
    const said = this.#errorText.push(content);
    if (finish === 'error') throw new ModelFailure({ at: 'frame', body: this.#errorText.failure() ?? unsaid(data) });
    if (said !== '') yield* this.#hear(this.#harmony.push(said));
    if (content !== '') this.#spoke = true;
    this.#finish = finish ?? this.#finish ?? (isLast(chunk) ? 'stop' : undefined);
    if (this.#finish !== undefined || (choice === undefined && this.#usage !== undefined)) yield* this.#flush();
    for (const [index, call] of (delta?.tool_calls ?? []).entries()) {
      yield this.#calls.write(choice?.message ? { ...call, index: call.index ?? index } : call);
    }
  }

  *#reason(text: string): Generator<ModelPart> {
    if (text === '') return;
    this.#spoke = true;
    const apart = this.#headings.push(text);
    this.#reasoning += apart;
    if (apart !== '') yield { type: 'reasoning', text: apart };
  }

  *#hear(pieces: readonly Piece[]): Generator<ModelPart> {
    for (const piece of pieces) yield* this.#say(piece.type === 'text' ? this.#thinkTags.push(piece.text) : [piece]);
  }

  /** Behind the first call nothing is meant for the reader any more. */
  *#say(pieces: readonly Piece[]): Generator<ModelPart> {
    for (const piece of pieces) {
      if (piece.type === 'reasoning') yield { type: 'reasoning', text: piece.text };
      else if (piece.type === 'thought') {
        yield { type: 'restart' };
        yield* this.#reason(piece.text);
      } else if (this.#calls.count === 0) yield* shown(this.#written.push(piece.text));
    }
  }

  /** What the model wrote as text counts only where its server took no call apart. */
  #takeWritten(): void {
    if (this.#calls.count > 0) return;
    for (const [index, call] of this.#asText.entries()) this.#calls.write({ index, id: '', function: call });
  }

  *#flush(): Generator<ModelPart> {
    const stars = this.#headings.flush();
    if (stars !== '') yield { type: 'reasoning', text: stars };
    yield* this.#hear(this.#harmony.push(this.#errorText.release()));
    const harmony = this.#harmony.flush();
    yield* this.#hear(harmony.pieces);
    yield* this.#say(this.#thinkTags.flush());
    const written = this.#written.flush();
    if (this.#calls.count === 0) yield* shown(written.text);
    this.#asText.push(...harmony.calls, ...written.calls);
  }

  /** Throws when nothing proves that the answer is whole. */
  #wholeFinish(): Finish {
    const calls = this.#calls;
    if (this.#finish === 'length' || this.#finish === 'content_filter') return this.#finish;
    // The server says that it is all: then the output limit cut it, which some report as an ordinary end.
    if (this.#finish !== undefined && calls.unfinished.length > 0) return 'length';
    const actual = calls.count > 0 ? 'tool_calls' : 'stop';
    if (this.#finish !== undefined) return actual;
    if (!this.#spoke && calls.count === 0) throw cut('The stream was empty.');
    if (calls.unfinished.length > 0) throw cut(`The arguments of ${calls.unfinished.join(', ')} are unfinished.`);
    if (calls.hasBare) throw cut('A call has no arguments and no finish reason.');
    // Without a finish reason only a closing frame, or for plain text the count of tokens, tells that it is all.
    if (this.#done || (calls.count === 0 && this.#usage !== undefined)) return actual;
    throw cut('The stream ended without a finish reason.');
  }

  /** What the next request has to bring back. */
  #left(): SignedThinking[] {
    const { host, keepsReasoning } = this.#assembly;
    const extras = this.#calls.extras();
    const { blocks } = this.#details;
    return [
      ...(keepsReasoning && this.#calls.count > 0 && this.#reasoning.trim() !== ''
        ? [seal(CHAT_SEALS.reasoning, host, '', this.#reasoning)]
        : []),
      ...(blocks.length > 0 ? [seal(CHAT_SEALS.details, host, JSON.stringify(blocks))] : []),
      ...(extras === undefined ? [] : [seal(CHAT_SEALS.extras, ANY_HOST, JSON.stringify(extras))]),
    ];
  }
}

function* shown(text: string): Generator<ModelPart> {
  if (text !== '') yield { type: 'text', text };
}

function unsaid(data: string): { message: string } {
  return { message: `The model finished with an error: ${data.slice(0, 500)}` };
}

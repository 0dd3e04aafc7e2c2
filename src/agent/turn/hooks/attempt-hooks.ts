/** What hooks are told of one attempt of one request, and of the text that it streams. */

import type { HookPayloads } from '../../../hooks-api.ts';
import type { LoopEvent } from '../../control/index.ts';
import type { ModelError, ModelPart } from '../../model/types.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { Clock } from '../types.ts';
import type { SessionHooks } from './session-hooks.ts';

export interface AttemptAbout {
  readonly request: number;
  readonly attempt: number;
  readonly kind: 'sampling' | 'compaction';
}

type Ending = Extract<ModelPart, { type: 'end' | 'error' | 'aborted' }>;

/** Told in the order in which it happens. Nothing is waited for. */
export class AttemptHooks {
  readonly #hooks: SessionHooks;
  readonly #clock: Clock;
  readonly #turn: LiveTurn;
  readonly #about: AttemptAbout;
  #stream: ReturnType<SessionHooks['stream']> | undefined;
  #sentAt: number | undefined;
  #error: Pick<ModelError, 'kind' | 'message'> | undefined;

  constructor(hooks: SessionHooks, clock: Clock, turn: LiveTurn, about: AttemptAbout) {
    this.#hooks = hooks;
    this.#clock = clock;
    this.#turn = turn;
    this.#about = about;
  }

  /** The request goes out. */
  sent(messageCount: number): void {
    this.#sentAt = this.#clock.now();
    if (!this.#hooks.has('pre_api_request')) return;
    this.#hooks.tell('pre_api_request', { ...this.#request(), message_count: messageCount }, this.#turn);
  }

  /** The answer has begun. */
  head(): void {
    if (this.#about.kind === 'compaction' || this.#stream || !STREAMING.some((event) => this.#hooks.has(event))) return;
    this.#stream = this.#hooks.stream(this.#turn);
    this.#stream('on_stream_start', this.#streamed());
  }

  delta(kind: 'text' | 'reasoning', delta: string): void {
    this.#stream?.('on_stream_delta', { ...this.#streamed(), delta, kind });
  }

  /** Its one end; undefined when it was cut and nothing more came. */
  ended(part: Ending | undefined): void {
    if (this.#sentAt === undefined) return;
    const duration_ms = Math.max(0, this.#clock.now() - this.#sentAt);
    this.#sentAt = undefined;
    if (part?.type === 'error') this.#error = part.error;
    this.#streamEnded(part);
    if (!this.#hooks.has('post_api_request')) return;
    const usage = part && part.type !== 'aborted' ? part.usage : undefined;
    const responseId = part?.facts?.responseId;
    const of: HookPayloads['post_api_request'] = {
      ...this.#request(),
      status: part?.type === 'end' ? 'completed' : part?.type === 'error' ? 'failed' : 'aborted',
      duration_ms,
      ...(responseId !== undefined && { response_id: responseId }),
      ...(usage && {
        usage: {
          input: usage.input,
          output: usage.output,
          cache_read: usage.cacheRead,
          cache_write: usage.cacheWrite,
          reasoning: usage.reasoning,
        },
      }),
      ...(part?.type === 'error' && { error_type: part.error.kind, error_message: part.error.message }),
    };
    this.#hooks.tell('post_api_request', of, this.#turn);
  }

  /** What came of the attempt: of an error, whether the turn goes on. */
  cameTo(event: LoopEvent, mayCompact: boolean): void {
    if (event.type === 'continues' && this.#error) return this.#failed(this.#error, true);
    if (event.type !== 'failed') return;
    const willRetry = event.retry !== undefined || (event.exit === 'context_exhausted' && mayCompact);
    const error = this.#error ?? this.#turn.error ?? (willRetry ? undefined : NO_ANSWER);
    if (error) this.#failed(error, willRetry);
  }

  /** An error that nothing follows but the end of what it was asked for. */
  failed(error: Pick<ModelError, 'kind' | 'message'>): void {
    this.#failed(error, false);
  }

  #failed({ kind, message }: { readonly kind: string; readonly message: string }, willRetry: boolean): void {
    if (!this.#hooks.has('api_request_error')) return;
    const lastResponse = this.#turn.wholeText || this.#turn.finalText;
    const of: HookPayloads['api_request_error'] = {
      ...this.#request(),
      error_type: kind,
      error_message: message,
      will_retry: willRetry,
      ...(lastResponse !== '' && { last_response: lastResponse }),
    };
    this.#hooks.tell('api_request_error', of, this.#turn);
  }

  #streamEnded(part: Ending | undefined): void {
    const error = part?.type === 'error' ? part.error.message : part?.type === 'end' ? undefined : 'aborted';
    this.#stream?.('on_stream_end', {
      ...this.#streamed(),
      final_text: this.#turn.text,
      finished: part?.type === 'end',
      ...(error !== undefined && { error }),
    });
    this.#stream = undefined;
  }

  #request() {
    const { request, attempt, kind } = this.#about;
    const suffix = kind === 'compaction' ? '-summary' : '';
    return {
      request_id: `${this.#turn.id}-r${request}-a${attempt}${suffix}`,
      request,
      attempt,
      kind,
      provider: providerOf(this.#turn),
    };
  }

  #streamed() {
    return streamPayload(this.#hooks, this.#turn, this.#about.request);
  }
}

const STREAMING = ['on_stream_start', 'on_stream_delta', 'on_stream_end'] as const;
const NO_ANSWER = { kind: 'no_answer', message: 'The model ended without an answer.' };

/** Text beside tool calls, and the last text of a turn. */
export function tellInterim(hooks: SessionHooks, turn: LiveTurn, text: string, final: boolean): void {
  if (text.trim() === '' || !hooks.has('on_interim_message')) return;
  const of = { ...streamPayload(hooks, turn, turn.request), text, already_streamed: true, final };
  hooks.stream(turn)('on_interim_message', of);
}

function streamPayload(hooks: SessionHooks, turn: LiveTurn, iteration: number) {
  const surface = hooks.isOfAgent ? ('agent' as const) : ('chat' as const);
  return { iteration, provider: providerOf(turn), surface };
}

function providerOf({ model }: LiveTurn): string {
  return model?.ref.split('/')[0] ?? '';
}

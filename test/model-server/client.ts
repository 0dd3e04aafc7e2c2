/** Drives a model server that runs in another process. */

import type { Command, RequestTimes, RequestView } from './control.ts';
import type { Answer } from './script.ts';

export class ModelServerClient {
  readonly origin: string;

  /** `http://127.0.0.1:<port>` */
  constructor(origin: string) {
    this.origin = origin;
  }

  get openAiBaseUrl(): string {
    return `${this.origin}/v1`;
  }

  /** Appends answers; each is used for one request, in order. */
  async script(...answers: readonly Answer[]): Promise<void> {
    await this.#send({ do: 'script', answers: [...answers] });
  }

  async fallback(answer: Answer): Promise<void> {
    await this.#send({ do: 'fallback', answer });
  }

  async requests(): Promise<readonly RequestView[]> {
    const response = await fetch(`${this.origin}/_control`);
    const { requests } = (await response.json()) as { requests: RequestView[] };
    return requests;
  }

  /** Resolves when that request (0-based) has arrived, stands at a pause, or is over. */
  async wait(request: number, until: 'arrived' | 'paused' | 'closed', name?: string): Promise<RequestView> {
    const answer = await this.#send({ do: 'wait', request, until, ...(name !== undefined && { name }) });
    return answer as RequestView;
  }

  /** When that request (0-based) arrived, and with `closed` when it was over. */
  async times(request: number, until: 'arrived' | 'closed' = 'arrived'): Promise<RequestTimes> {
    return (await this.#send({ do: 'times', request, until })) as RequestTimes;
  }

  /** False when that request (the newest by default) stands at no pause. */
  async release(options: { request?: number; name?: string } = {}): Promise<boolean> {
    const answer = await this.#send({ do: 'release', ...options });
    return (answer as { released: boolean }).released;
  }

  /** Null lifts a limit. */
  async configure(settings: { apiKey?: string | null; models?: string[] | null; strict?: boolean }): Promise<void> {
    await this.#send({ do: 'configure', ...settings });
  }

  async cutAnswers(): Promise<void> {
    await this.#send({ do: 'cutAnswers' });
  }

  async reset(): Promise<void> {
    await this.#send({ do: 'reset' });
  }

  async #send(command: Command): Promise<unknown> {
    const response = await fetch(`${this.origin}/_control`, { method: 'POST', body: JSON.stringify(command) });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`The model server refused ${command.do}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

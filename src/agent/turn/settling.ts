import type { TurnResult } from '../../api.ts';

/** The results of a session's turns, and those who wait for one. */
export class Settling {
  readonly #results = new Map<string, TurnResult>();
  readonly #waiting = new Map<string, PromiseWithResolvers<TurnResult>>();
  readonly #unsettled = new Set<string>();
  #last: TurnResult | undefined;

  /** @param results of turns that are over, oldest first */
  constructor(results: readonly TurnResult[]) {
    this.add(results);
  }

  /** Results that another window stored. */
  add(results: readonly TurnResult[]): void {
    for (const result of results) this.#keep(result);
  }

  /** False while the hooks of a turn that is over may still run. */
  get isSettled(): boolean {
    return this.#unsettled.size === 0;
  }

  get last(): TurnResult | undefined {
    return this.#last;
  }

  /** Of all turns that are over. */
  all(): readonly TurnResult[] {
    return [...this.#results.values()];
  }

  result(turnId: string): TurnResult | undefined {
    return this.#results.get(turnId);
  }

  /** The turn is over; its hooks may still run. */
  ended(result: TurnResult): void {
    this.#keep(result);
    this.#unsettled.add(result.turnId);
  }

  settled(result: TurnResult): void {
    this.#unsettled.delete(result.turnId);
    this.#waiting.get(result.turnId)?.resolve(result);
    this.#waiting.delete(result.turnId);
  }

  /** The session is closed: nobody waits for ever. */
  close(): void {
    for (const { reject } of this.#waiting.values())
      reject(new Error('This session was closed before its turn ended.'));
    this.#waiting.clear();
  }

  /**
   * @param turnId a turn of this session; undefined asks for the running one, or else for the last
   * @throws (rejects) when the session never had a turn, or not that one, or is closed before the turn has ended
   */
  wait(turnId: string | undefined, running: string | undefined): Promise<TurnResult> {
    const id = turnId ?? running ?? this.#last?.turnId;
    if (id === undefined) return Promise.reject(new Error('This session has not had a turn yet.'));
    const result = this.#results.get(id);
    if (result && !this.#unsettled.has(id)) return Promise.resolve(result);
    if (!result && id !== running) return Promise.reject(new Error(`This session has no turn ${id}.`));
    const waiting = this.#waiting.get(id) ?? Promise.withResolvers<TurnResult>();
    // Whoever waits is told; that somebody asked and looked away is no error of the window.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  #keep(result: TurnResult): void {
    this.#results.set(result.turnId, result);
    this.#last = result;
  }
}

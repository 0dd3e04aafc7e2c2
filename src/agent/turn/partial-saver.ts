import type { LiveTurn } from './live-turn.ts';
import type { AgentPorts } from './types.ts';

/** Milliseconds between two saves of an answer that is being written. */
const SAVE_EVERY = 500;

/** Saves the answer that is being written now and then, so that a crash keeps what the user saw. */
export class PartialSaver {
  readonly #ports: AgentPorts;
  readonly #sessionId: string;
  readonly #turn: () => LiveTurn | undefined;
  #cancel: (() => void) | undefined;

  constructor(ports: AgentPorts, sessionId: string, turn: () => LiveTurn | undefined) {
    this.#ports = ports;
    this.#sessionId = sessionId;
    this.#turn = turn;
  }

  saveSoon(): void {
    this.#cancel ??= this.#ports.clock.after(SAVE_EVERY, () => this.save());
  }

  /** A failure costs only what this is for, and is logged. */
  save(): void {
    this.dispose();
    const turn = this.#turn();
    if (!turn || turn.text === '' || turn.answer !== undefined) return;
    const { id: turnId, request, attempt, text } = turn;
    try {
      this.#ports.store.savePartial(this.#sessionId, { turnId, request, attempt, text });
    } catch (error) {
      this.#ports.log.warn(`the partial answer was not saved: ${error}`);
    }
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

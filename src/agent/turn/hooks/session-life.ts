import type { HookPayloads } from '../../../hooks-api.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { SessionHooks } from './session-hooks.ts';

export type StartSource = HookPayloads['on_session_start']['source'];
export type FinalizeReason = HookPayloads['on_session_finalize']['reason'];

/** The start and the end of a session as hooks are told of them: each start in this window has one end. */
export class SessionLife {
  readonly #hooks: SessionHooks;
  readonly #hadTurns: () => boolean;
  #begun = false;
  #replaces = false;

  /** @param hadTurns true when a turn of it is over, also one of an earlier window */
  constructor(hooks: SessionHooks, hadTurns: () => boolean) {
    this.#hooks = hooks;
    this.#hadTurns = hadTurns;
  }

  get isFirstTurn(): boolean {
    return !this.#hadTurns();
  }

  /** How the session starts with this turn; undefined when it has started before. */
  begin(): StartSource | undefined {
    if (this.#begun) return undefined;
    this.#begun = true;
    if (this.#hadTurns()) return 'resume';
    return this.#replaces ? 'clear' : 'startup';
  }

  /** It takes the place of another one in the chat: told after the end of that one. */
  replace(oldSessionId: string): void {
    this.#replaces = true;
    this.#hooks.tell('on_session_reset', { reason: 'new_session', old_session_id: oldSessionId });
  }

  /** Resolves when its hooks are through. */
  async finalize(reason: FinalizeReason, newSessionId?: string, turn?: LiveTurn): Promise<void> {
    if (!this.#begun) return;
    this.#begun = false;
    if (!this.#hooks.has('on_session_finalize')) return;
    const of = { reason, ...(newSessionId !== undefined && { new_session_id: newSessionId }) };
    await this.#hooks.tellAll('on_session_finalize', of, turn, new AbortController().signal);
  }
}

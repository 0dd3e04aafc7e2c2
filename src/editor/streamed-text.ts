import type { LiveView } from '../agent/turn/index.ts';
import type { SessionEvent } from '../api.ts';

type Attempt = Pick<LiveView, 'turnId' | 'request' | 'attempt'>;

/**
 * The text of the newest answer as a page has it from its snapshot and the events since; it follows the page's own
 * reducer step by step. When the answer is stored, its row need not carry that text again: for a long answer it would
 * stand between a stop and an idle chat.
 */
export class StreamedText {
  #of: Attempt | undefined;
  #text = '';

  /** @param live of the page's snapshot */
  restart(live: LiveView | null): void {
    this.#begin(live ?? undefined, live?.text ?? '');
  }

  /** Takes each event that the page is sent, in order. @returns the id of a row whose text the page has */
  follow(event: SessionEvent): string | undefined {
    switch (event.type) {
      case 'turn.started':
        this.#begin(beginningOf(event.turnId));
        return undefined;
      case 'request.started':
        this.#advance(event);
        return undefined;
      case 'delta':
        this.#advance(event);
        if (event.part === 'text' && this.#isOf(event)) this.#text += event.text;
        return undefined;
      case 'tool':
        this.#of ??= beginningOf(event.turnId);
        return undefined;
      case 'turn.ended':
        if (this.#of?.turnId === event.result.turnId) this.#begin(undefined);
        return undefined;
      case 'state':
        if (event.state === 'idle') this.#begin(undefined);
        return undefined;
      case 'row':
        return this.#takeRow(event.row);
      default:
        return undefined;
    }
  }

  #takeRow(row: Extract<SessionEvent, { type: 'row' }>['row']): string | undefined {
    if (row.role !== 'assistant' || this.#of?.turnId !== row.turnId) return undefined;
    const has = this.#text !== '' && this.#text === row.displayText;
    this.#text = '';
    return has ? row.id : undefined;
  }

  /** A newer attempt starts from nothing; what comes late of an older one changes nothing. */
  #advance({ turnId, request, attempt }: Partial<Attempt> & Omit<Attempt, 'turnId'>): void {
    if (turnId === undefined) return;
    const of = this.#of;
    const newer = request > (of?.request ?? -1) || (request === of?.request && attempt > of.attempt);
    if (of?.turnId !== turnId || newer) this.#begin({ turnId, request, attempt });
  }

  #isOf({ request, attempt }: Omit<Attempt, 'turnId'>): boolean {
    return this.#of?.request === request && this.#of.attempt === attempt;
  }

  #begin(of: Attempt | undefined, text = ''): void {
    this.#of = of;
    this.#text = text;
  }
}

function beginningOf(turnId: string | undefined): Attempt | undefined {
  return turnId === undefined ? undefined : { turnId, request: 0, attempt: 0 };
}

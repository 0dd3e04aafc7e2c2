import type { BackgroundProcess, TranscriptRow } from '../../api.ts';
import { Children, type ChildrenParts, type ReviewParts, Reviews } from '../children/index.ts';
import type { ProcessPort } from '../tools/types.ts';
import { readSession } from './opening.ts';
import type { BackgroundPort } from './turn-runner.ts';

/** Rows that are read of an agent that has ended: what it did last is shown of it. */
const ROWS_OF_AGENT = 20;

export interface BackgroundParts
  extends Omit<ChildrenParts, 'processes' | 'read' | 'endProcess'>,
    Pick<ReviewParts, 'messages' | 'overBudget'> {}

/** What runs beside the turns of a session: background processes, delegated agents, the quiet review. */
export class BackgroundWork implements BackgroundPort {
  readonly port: ProcessPort;
  readonly children: Children;
  readonly reviews: Reviews;
  readonly #parts: BackgroundParts;

  /** @param rows the whole transcript of the session */
  constructor(parts: BackgroundParts, rows: readonly TranscriptRow[]) {
    this.#parts = parts;
    const { ports, sessionId, modelRef, messages, overBudget, open, tell } = parts;
    this.port = ports.processes(sessionId);
    this.children = new Children(
      {
        ...parts,
        processes: this.port,
        read: (id) => readSession(ports, id, ROWS_OF_AGENT),
        endProcess: (id) => void this.endProcess(id),
      },
      rows,
    );
    this.reviews = new Reviews({
      ports,
      sessionId,
      modelRef,
      messages,
      overBudget,
      open,
      ended: () => tell({ type: 'reviewEnded' }),
    });
  }

  stopChild(childId: string): void {
    this.children.stop(childId);
  }

  review(turnId: string): void {
    this.reviews.start(turnId);
  }

  cancelReview(): void {
    this.reviews.cancel();
  }

  /** True while something runs that only this object can end. A review is no reason to keep a session. */
  get isWorking(): boolean {
    return this.children.isWorking || this.port.list().some((process) => process.state === 'running');
  }

  /** Ends a process and all that it started; what resists is named to the user. */
  async endProcess(id: string): Promise<void> {
    const { survivors } = await this.port.kill(id);
    for (const { pid, command } of survivors) {
      const text = `Process ${pid} (${command}) could not be ended.`;
      this.#parts.emit({ type: 'notice', kind: 'survivor', text });
    }
  }

  /** A background process started, wrote or ended. */
  processChanged(process: BackgroundProcess): void {
    this.#parts.emit({ type: 'process', turnId: process.turnId, process });
    if (process.state === 'exited' || process.state === 'killed') {
      this.#parts.tell({ type: 'noticed', notice: { id: process.id, text: endNotice(process) } });
    }
  }

  /** The session was read again. */
  readAgain(rows: readonly TranscriptRow[]): void {
    this.children.read(rows);
    this.tellOfEnds();
  }

  /** Shows and tells of the ends of agents that another window ran. What cannot be read now is found by a later look. */
  lookElsewhere(): void {
    let ended: ReturnType<Children['lookElsewhere']> = [];
    try {
      ended = this.children.lookElsewhere();
    } catch (error) {
      const { ports, sessionId } = this.#parts;
      ports.log.warn(`the agents of ${sessionId} in other windows could not be looked at: ${error}`);
    }
    for (const child of ended) {
      const { id, turnId, name, state } = child;
      this.#parts.emit({ type: 'child', turnId, childId: id, name, state, child });
    }
    if (ended.length > 0) this.tellOfEnds();
  }

  /** The model hears of the end of each agent once, also of one in an earlier window. */
  tellOfEnds(): void {
    for (const notice of this.children.untold()) this.#parts.tell({ type: 'noticed', notice });
  }

  close(): void {
    this.children.close();
    this.reviews.close();
  }
}

function endNotice({ id, command, state, exitCode, tail }: BackgroundProcess): string {
  const how = state === 'killed' ? 'was ended' : `ended with exit code ${exitCode ?? 'unknown'}`;
  const output = tail.trim() === '' ? '' : ` Its last output:\n${tail.trim()}`;
  return `The background process ${id} (${command}) ${how}.${output}`;
}

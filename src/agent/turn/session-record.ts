import type { ModelUsage, TranscriptRow, TurnResult, Usage } from '../../api.ts';
import { addUsage, NO_USAGE, sumModelUsage } from '../model/index.ts';
import type { Commit, StoredSession } from '../session/index.ts';
import { knownCost } from './budget.ts';
import { ContextWatch } from './context-watch.ts';
import { History } from './history.ts';
import { overhead } from './limits.ts';
import type { LiveTurn } from './live-turn.ts';
import type { OpenedSession } from './opening.ts';
import { SentImages } from './request/sent-images.ts';
import { Settling } from './settling.ts';
import { lastReading, resultsOf, type StoredContent } from './stored-content.ts';
import type { AgentPorts } from './types.ts';

/** What is known of a session beside its control state: as it was read, and kept true by what is stored since. */
export class SessionRecord {
  readonly history: History;
  readonly watch: ContextWatch;
  readonly settling: Settling;
  readonly images = new SentImages();
  readonly #ports: AgentPorts;
  readonly #id: string;
  #title: string;
  #modelRef: string | undefined;
  #usage: Usage;
  #contextTokens: number;

  constructor(ports: AgentPorts, { stored, content }: OpenedSession) {
    const reading = lastReading(content);
    this.#ports = ports;
    this.#id = stored.id;
    this.#title = stored.title;
    this.#modelRef = stored.model;
    this.history = new History(content.rows, ports.store.images);
    this.watch = new ContextWatch(this.history, () => overhead(ports), reading);
    this.settling = new Settling(resultsOf(content));
    this.#usage = usageOf(content);
    this.#contextTokens = reading ? this.watch.estimate() : 0;
  }

  get title(): string {
    return this.#title;
  }

  get modelRef(): string | undefined {
    return this.#modelRef;
  }

  set modelRef(ref: string) {
    this.#ports.store.setModel(this.#id, ref);
    this.#modelRef = ref;
  }

  /** US dollars that its turns have cost, as far as it is known. */
  get costUsd(): number {
    return this.settling.all().reduce((sum, { usage, byModel }) => sum + knownCost(usage, byModel), 0);
  }

  /** @param turn the one that runs */
  usage(turn: LiveTurn | undefined): Usage {
    return turn ? addUsage(this.#usage, turn.usage) : this.#usage;
  }

  usageByModel(turn: LiveTurn | undefined): readonly ModelUsage[] {
    return sumModelUsage(...this.settling.all().map(({ byModel = [] }) => byModel), turn?.byModel ?? []);
  }

  contextTokens(turn: LiveTurn | undefined): number {
    return turn?.contextTokens || this.#contextTokens;
  }

  /** The session was read again. */
  take({ stored, content }: { readonly stored: StoredSession; readonly content: StoredContent }): void {
    const reading = lastReading(content);
    this.#title = stored.title;
    this.#modelRef = stored.model;
    this.#usage = usageOf(content);
    this.history.reset(content.rows);
    this.watch.reset(reading);
    this.#contextTokens = reading ? this.watch.estimate() : 0;
    this.settling.add(resultsOf(content));
  }

  /** A transaction is through. @param shown called for each row of it, in order */
  stored(commit: Commit, turn: LiveTurn | undefined, shown: (row: TranscriptRow) => void): void {
    if (turn && commit.turn?.id === turn.id) turn.record = commit.turn;
    for (const row of commit.rows ?? []) {
      if (row.kind !== 'summary') this.history.append(row);
      else {
        this.watch.swap(row);
        if (turn) turn.contextTokens = this.watch.estimate();
      }
      shown(row);
    }
  }

  turnEnded(turn: LiveTurn, result: TurnResult): void {
    this.#usage = addUsage(this.#usage, turn.usage);
    this.#contextTokens = turn.contextTokens || this.#contextTokens;
    this.settling.ended(result);
  }

  /** The title as it is stored now. Undefined when it is the one that was known. */
  newTitle(): string | undefined {
    const title = this.#ports.store.get(this.#id)?.title ?? this.#title;
    if (title === this.#title) return undefined;
    this.#title = title;
    return title;
  }
}

function usageOf(content: StoredContent): Usage {
  return resultsOf(content)
    .map((result) => result.usage)
    .reduce(addUsage, NO_USAGE);
}

import type { ModelUsage, Usage } from '../../api.ts';
import type { LiveTurn } from './live-turn.ts';
import type { AgentPorts } from './types.ts';

/** Of a budget: what is warned about. */
const WARN_AT = 0.8;

/** Producer of the stop of a turn that has spent all that it may. */
export const BUDGET = 'budget';

export interface BudgetParts {
  readonly ports: AgentPorts;
  /** US dollars that the turns before cost, as far as it is known. */
  spentBefore(): number;
  /** The session's agents, also those that have ended. */
  agents(): readonly { readonly turnId: string; readonly usage: Usage; readonly endedAt?: number }[];
  turn(): LiveTurn | undefined;
  /** US dollars that what runs in the other sessions of this window has cost so far. */
  runningElsewhere(): number;
  notice(kind: string, text: string): void;
  stop(): void;
}

/** One budget and what is spent of it. */
export interface Spent {
  readonly of: 'turn' | 'session' | 'day';
  /** Of which turn, or of which day. */
  readonly which: string;
  /** US dollars, both. */
  readonly limit: number;
  readonly spent: number;
}

/**
 * What turns may cost, by the turn, the session and the day. What no price is known for counts as nothing, and that is
 * said once.
 */
export class Budget {
  readonly #parts: BudgetParts;
  readonly #warned = new Set<string>();

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  /** True when a request may go out. Otherwise the turn, or the session that an agent works for, has been stopped. */
  mayAsk(): boolean {
    const { ports, turn: turnOf, notice, stop } = this.#parts;
    if (ports.parent?.mayAsk?.() === false) return false;
    const all = this.#all();
    if (all.length === 0) return true;
    const turn = turnOf();
    if (turn?.model && !turn.model.price) this.#once('unknown', 'budget_unknown', noPrice(turn.model.label));
    const over = all.find(isOver);
    if (over) {
      const message = `${reached(over)} The turn was stopped before its next request; what was done is kept. ${ADVICE[over.of]}`;
      if (turn) turn.error = { kind: BUDGET, message, action: 'midcourse.openSettings' };
      else notice('budget_reached', message);
      stop();
      return false;
    }
    for (const one of all) {
      if (one.spent >= one.limit * WARN_AT) this.#once(`${one.of} ${one.which}`, 'budget_warning', warning(one));
    }
    return true;
  }

  /** Every budget that is set; that of a turn while one runs. */
  get standing(): readonly Spent[] {
    return this.#all();
  }

  /** US dollars of what is not over yet: turns that are over are in the store, those of agents too. */
  get running(): number {
    const { agents, turn: turnOf } = this.#parts;
    const turn = turnOf();
    const own = turn ? knownCost(turn.usage, turn.byModel) : 0;
    return own + cost(agents().filter(({ endedAt }) => endedAt === undefined));
  }

  /** Why no turn may begin, in words; undefined when it may. */
  refusal(): string | undefined {
    const over = this.#all().find((one) => one.of !== 'turn' && isOver(one));
    return over && `${reached(over)} Nothing was sent, and your text is kept. ${ADVICE[over.of]}`;
  }

  #once(key: string, kind: string, text: string): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#parts.notice(kind, text);
  }

  #all(): readonly Spent[] {
    const { ports, spentBefore, agents, turn: turnOf, runningElsewhere } = this.#parts;
    const { perTurn, perSession, perDay } = ports.settings().budget;
    const turn = turnOf();
    const own = turn ? knownCost(turn.usage, turn.byModel) : 0;
    const all: Spent[] = [];
    if (perTurn !== undefined && turn) {
      const spent = own + cost(agents().filter(({ turnId }) => turnId === turn.id));
      all.push({ of: 'turn', which: turn.id, limit: perTurn, spent });
    }
    if (perSession !== undefined) {
      all.push({ of: 'session', which: '', limit: perSession, spent: spentBefore() + own + cost(agents()) });
    }
    if (perDay !== undefined) {
      const midnight = new Date(ports.clock.now()).setHours(0, 0, 0, 0);
      const running = this.running + runningElsewhere();
      all.push({ of: 'day', which: `${midnight}`, limit: perDay, spent: ports.store.costSince(midnight) + running });
    }
    return all;
  }
}

/** US dollars. Where a part has no price, what is known of the other models. */
export function knownCost(usage: Usage, byModel: readonly ModelUsage[] = []): number {
  return usage.costUsd ?? byModel.reduce((sum, of) => sum + (of.usage.costUsd ?? 0), 0);
}

function cost(agents: readonly { readonly usage: Usage }[]): number {
  return agents.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0);
}

function isOver({ spent, limit }: Spent): boolean {
  return spent >= limit;
}

const OF: Readonly<Record<Spent['of'], string>> = { turn: 'this turn', session: 'this session', day: 'today' };
const SETTING: Readonly<Record<Spent['of'], string>> = { turn: 'perTurn', session: 'perSession', day: 'perDay' };

const ADVICE: Readonly<Record<Spent['of'], string>> = {
  turn: 'Raise midcourse.budget.perTurn, or go on in a new turn.',
  session: 'Raise midcourse.budget.perSession, or start a new session.',
  day: 'Raise midcourse.budget.perDay, or go on tomorrow.',
};

function reached({ of, spent, limit }: Spent): string {
  return `The budget of ${dollars(limit)} for ${OF[of]} is used up: ${dollars(spent)} were spent.`;
}

function warning({ of, spent, limit }: Spent): string {
  return `${dollars(spent)} of the ${dollars(limit)} for ${OF[of]} are spent (midcourse.budget.${SETTING[of]}). At the limit the turn is stopped.`;
}

function noPrice(label: string): string {
  return `A budget is set, but the price of ${label} is not known: what it costs is not counted. Set its price in midcourse.providers.`;
}

/** Amounts below a cent with four decimals. */
function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}

import type { Item, Receipt } from '../../api.ts';
import type { Activity, Call, ControlState, Effect, StepResult, Turn, Write } from './types.ts';

/**
 * One step under construction. The state inside is replaced, never changed, so the state that the step began with
 * stays as it was: a step whose writes fail can be thrown away.
 */
export class Transition {
  state: ControlState;
  readonly writes: Write[] = [];
  readonly effects: Effect[] = [];
  receipt: Receipt | undefined;

  constructor(state: ControlState, seq: number) {
    this.state = { ...state, seq: Math.max(state.seq, seq) };
  }

  done(): StepResult {
    return { state: this.state, writes: this.writes, effects: this.effects, receipt: this.receipt };
  }

  /** A sequence number and the row id made of it. */
  newRow(): { seq: number; rowId: string } {
    const seq = this.state.seq + 1;
    this.state = { ...this.state, seq };
    return { seq, rowId: `${this.state.sessionId}.${seq}` };
  }

  get turn(): Turn {
    if (!this.state.turn) throw new Error('control: no turn');
    return this.state.turn;
  }

  setTurn(change: Partial<Turn>): void {
    this.state = { ...this.state, turn: { ...this.turn, ...change } };
  }

  setActivity(activity: Activity): void {
    this.setTurn({ activity });
  }

  /** Replaces an undelivered item where it stands and stores it. */
  putItem(item: Item): void {
    this.state = { ...this.state, items: this.state.items.map((old) => (old.id === item.id ? item : old)) };
    this.writes.push({ write: 'item', item });
  }

  /** Takes an item off the waiting list; the caller has written its new state. */
  dropItem(id: string): void {
    this.state = { ...this.state, items: this.state.items.filter((item) => item.id !== id) };
  }

  insertItem(item: Item, index: number): void {
    this.state = { ...this.state, items: this.state.items.toSpliced(index, 0, item) };
    this.writes.push({ write: 'item', item });
  }

  setCalls(calls: readonly Call[]): void {
    const activity = this.turn.activity;
    if (activity.is !== 'tool' && activity.is !== 'stopping') throw new Error(`control: no calls while ${activity.is}`);
    this.setActivity({ ...activity, calls });
  }
}

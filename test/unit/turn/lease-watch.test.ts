import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type SessionStore } from '../../../src/agent/session/index.ts';
import { LeaseWatch } from '../../../src/agent/turn/lease-watch.ts';
import { row, session, temporaryFolder } from '../session/builders.ts';

/** Time passes only when the test says so. */
class ManualClock {
  #now = 1_000;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now = () => this.#now;

  after = (ms: number, callback: () => void) => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** The machine sleeps: what is due comes late. */
  sleep(ms: number): void {
    this.#now += ms;
  }

  get timers(): number {
    return this.#timers.length;
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }
}

describe('the watch over a lease', () => {
  const folder = temporaryFolder();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  let clock: ManualClock;
  let store: SessionStore;
  let other: SessionStore;
  let watch: LeaseWatch;
  let idle: boolean;
  let follows: boolean;
  let told: string[];

  beforeEach(() => {
    clock = new ManualClock();
    store = openStore(folder.path, { now: clock.now }).store;
    other = openStore(folder.path, { now: clock.now }).store;
    store.create(session('s'));
    store.know('s');
    [idle, follows, told] = [true, false, []];
    watch = new LeaseWatch({
      clock,
      log,
      leases: store.leases,
      sessionId: 's',
      isIdle: () => idle,
      isChanged: () => store.isChanged('s'),
      follows: () => follows,
      yieldTurn: () => told.push('yield'),
      reread: () => told.push('reread'),
      readOn: () => {
        store.know('s');
        told.push('read on');
      },
    });
  });
  afterEach(() => {
    watch.dispose();
    store.close();
    other.close();
  });

  const begin = () => {
    store.commit({ sessionId: 's', rows: [row(1, 'x')], lease: 'take' });
    idle = false;
    watch.start();
  };

  it('has no timer for a session in which nothing runs', () => {
    watch.look();
    assert.equal(clock.timers, 0);
    begin();
    assert.equal(clock.timers, 1);
    store.commit({ sessionId: 's', rows: [row(2, 'y')], lease: 'release' });
    idle = true;
    clock.pass(300);
    assert.equal(clock.timers, 0);
    assert.deepEqual(told, []);
  });

  it('gives a sign of life every five seconds while the turn runs', () => {
    begin();
    const started = store.leases.of('s')?.beatAt ?? 0;
    clock.pass(4_900);
    assert.equal(other.leases.of('s')?.beatAt, started);
    clock.pass(200);
    const first = other.leases.of('s')?.beatAt ?? 0;
    assert.ok(first >= started + 5_000);
    clock.pass(5_250);
    assert.ok((other.leases.of('s')?.beatAt ?? 0) >= first + 5_000);
  });

  it('sees within 300 ms that another window wants the session', () => {
    begin();
    clock.pass(240);
    other.leases.want('s');
    clock.pass(300);
    assert.ok(told.includes('yield'));
  });

  it('sees within 300 ms that another window took it, and reads it again when its turn is over', () => {
    begin();
    other.leases.seize('s');
    clock.pass(300);
    assert.deepEqual(told, ['yield']);
    idle = true;
    clock.pass(250);
    assert.deepEqual(told, ['yield', 'reread']);
  });

  it('lets go of a session whose last write failed', () => {
    begin();
    idle = true;
    clock.pass(300);
    assert.equal(store.leases.state('s'), 'free');
    assert.equal(other.leases.state('s'), 'free');
  });

  it('keeps looking after a hand-over: the other window is about to run it', () => {
    begin();
    other.leases.want('s');
    clock.pass(250);
    store.commit({ sessionId: 's', rows: [row(2, 'y')], lease: 'release' });
    idle = true;
    clock.pass(60_000);
    assert.deepEqual(told, ['yield']);
    other.commit({ sessionId: 's', rows: [row(3, 'z')], lease: 'take' });
    clock.pass(500);
    assert.deepEqual(told, ['yield', 'reread']);
  });

  it('follows another window: reads on when that has written, and reads again when it is through', () => {
    other.commit({ sessionId: 's', rows: [row(1, 'x')], lease: 'take' });
    store.know('s');
    follows = true;
    watch.look();
    clock.pass(5_000);
    assert.deepEqual(told, []);
    other.commit({ sessionId: 's', rows: [row(2, 'y')] });
    clock.pass(500);
    assert.deepEqual(told, ['read on']);
    other.commit({ sessionId: 's', rows: [row(3, 'z')], lease: 'release' });
    clock.pass(500);
    assert.deepEqual(told, ['read on', 'reread']);
  });

  it('after a sleep of the machine leaves the other window the time to say that it lives', () => {
    other.commit({ sessionId: 's', rows: [row(1, 'x')], lease: 'take' });
    // As on a system that does not tell when a process started: its signs of life alone tell that it lives.
    const db = new DatabaseSync(join(folder.path, 'sessions.db'));
    db.exec(`UPDATE leases SET holder = json_set(holder, '$.processStart', '')`);
    db.close();
    store.know('s');
    follows = true;
    watch.look();
    clock.sleep(3_600_000);
    clock.pass(0);
    assert.deepEqual(told, []);
    other.leases.beat('s');
    clock.pass(29_000);
    assert.deepEqual(told, []);
    clock.pass(2_000);
    assert.equal(told[0], 'reread', 'it has said nothing for 30 s');
  });

  it('goes on looking when a look failed', () => {
    begin();
    idle = true;
    const { state } = store.leases;
    store.leases.state = () => {
      throw new Error('the disk has gone');
    };
    watch.look();
    clock.pass(2_000);
    store.leases.state = state;
    clock.pass(500);
    assert.equal(other.leases.state('s'), 'free');
    assert.equal(clock.timers, 0);
  });
});

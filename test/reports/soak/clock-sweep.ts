import type { LiveSession } from '../../../src/agent/turn/index.ts';
import type { Race } from '../races.ts';
import { idle, type Rig } from '../replay.ts';
import type { Moment } from './cases.ts';

/** How long the work takes to get to the moment when nobody disturbs it: the middle of three tries, in milliseconds. */
export async function timeTo(rig: Rig, race: Race, moment: Moment): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const session = fresh(rig);
    const started = performance.now();
    const listening = onMoment(session, moment, () => times.push(performance.now() - started));
    race.start(rig, session);
    await idle(session);
    listening.dispose();
    session.dispose();
  }
  const [, middle] = times.toSorted((a, b) => a - b);
  if (middle === undefined) throw new Error(`The work has no moment "${moment.name}".`);
  return middle;
}

export interface Hit {
  /** Milliseconds from the moment to the act; undefined when the act came first. */
  readonly after: number | undefined;
}

/**
 * Plays the work once and acts `offset` milliseconds from the moment: before it by the clock, `expected` milliseconds
 * after the start being the moment; behind it from the event itself. Throws what the judge throws.
 */
export async function actAround(rig: Rig, race: Race, moment: Moment, offset: number, expected: number): Promise<Hit> {
  const session = fresh(rig);
  let momentAt: number | undefined;
  const acted = Promise.withResolvers<number | undefined>();
  const act = () => {
    // The act may bring the moment about.
    const after = momentAt === undefined ? undefined : performance.now() - momentAt;
    try {
      race.act(session, rig);
      acted.resolve(after);
    } catch (error) {
      acted.reject(error);
    }
  };
  const timers: NodeJS.Timeout[] = [];
  const listening = onMoment(session, moment, () => {
    momentAt = performance.now();
    if (offset >= 0) timers.push(setTimeout(act, offset));
  });
  if (offset < 0) timers.push(setTimeout(act, Math.max(0, expected + offset)));
  try {
    race.start(rig, session);
    const after = await acted.promise;
    await race.judge(rig, session);
    return { after };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    listening.dispose();
    session.dispose();
  }
}

function fresh(rig: Rig): LiveSession {
  rig.server.reset();
  rig.fired.length = 0;
  return rig.agent.create();
}

function onMoment(session: LiveSession, { nth, fits }: Moment, reached: () => void): { dispose(): unknown } {
  let seen = 0;
  return session.onDidEmit((event) => {
    if (!fits(event)) return;
    seen += 1;
    if (seen === nth) reached();
  });
}

import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { Race } from './races.ts';
import { Rig, type WireName } from './replay.ts';

/** More events than any swept script has: a sweep that never ends is a bug of its own. */
const MOST_EVENTS = 400;
const FEWEST_EVENTS = 5;

/** `inside`: in the event's own listener, as an extension does; `behind`: right after it, as a message of the chat. */
export type Place = 'inside' | 'behind';

/**
 * Plays the same work again and again, acting at the first event, the second, and so on to the last.
 *
 * @returns how many events there were
 */
export async function atEveryEvent(wire: WireName, race: Race, when: Place): Promise<number> {
  const rig = await Rig.start(wire);
  try {
    for (let k = 1; k <= MOST_EVENTS; k++) {
      rig.server.reset();
      rig.fired.length = 0;
      const session = rig.agent.create();
      const acted = actAt(session, k, () => race.act(session, rig), when);
      race.start(rig, session);
      if (!(await acted)) {
        // A sweep over nothing would prove nothing.
        if (k <= FEWEST_EVENTS) throw new Error(`the work has only ${k - 1} events`);
        return k - 1;
      }
      try {
        await race.judge(rig, session);
      } catch (error) {
        throw new Error(`at event ${k} (${session.events(0)[k - 1]?.type}): ${(error as Error).message}`, {
          cause: error,
        });
      }
      session.dispose();
    }
    throw new Error(`the work has more than ${MOST_EVENTS} events`);
  } finally {
    await rig.close();
  }
}

/** True once `act` has happened, false when the session came to rest before its k-th event. */
function actAt(session: LiveSession, k: number, act: () => void, when: Place): Promise<boolean> {
  let seen = 0;
  return new Promise((resolve, reject) => {
    const perform = () => {
      try {
        act();
        resolve(true);
      } catch (error) {
        reject(error as Error);
      }
    };
    const listening = session.onDidEmit(({ type }) => {
      seen += 1;
      if (seen === k) {
        listening.dispose();
        if (when === 'inside') perform();
        else setImmediate(perform);
      } else if (type === 'settled' && session.state === 'idle') {
        listening.dispose();
        resolve(false);
      }
    });
  });
}

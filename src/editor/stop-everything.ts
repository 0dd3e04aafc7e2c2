import { isAtWork } from '../agent/children/index.ts';
import type { LiveSession } from '../agent/turn/index.ts';

/** How much was stopped in this window. */
export interface Stopped {
  readonly turns: number;
  readonly agents: number;
  readonly commands: number;
}

type Stoppable = Pick<LiveSession, 'readOnly' | 'state' | 'stop' | 'childAgents' | 'processes' | 'killProcess'>;

/**
 * Stops the turn of each session, its agents and its review, and ends its background processes. The turns are stopped
 * at once; it resolves when the processes are gone.
 */
export async function stopEverything(sessions: readonly Stoppable[]): Promise<Stopped> {
  // A session of another window is stopped there.
  const mine = sessions.filter((session) => session.readOnly === undefined);
  const turns = mine.filter((session) => session.state === 'running' || session.state === 'waiting').length;
  const agents = mine.flatMap((session) => session.childAgents()).filter(isAtWork).length;
  // An idle session is stopped too: its agents may work, and its review may run.
  for (const session of mine) session.stop({ reason: 'stop_everything' });
  const ended = mine.flatMap((session) =>
    session
      .processes()
      .filter((process) => process.state === 'running')
      .map((process) => session.killProcess(process.id)),
  );
  await Promise.all(ended);
  return { turns, agents, commands: ended.length };
}

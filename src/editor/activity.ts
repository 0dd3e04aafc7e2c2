import type * as vscode from 'vscode';
import { isAtWork } from '../agent/children/index.ts';
import type { LiveSession } from '../agent/turn/index.ts';
import type { ContextKeys } from './context-keys.ts';
import type { Sessions } from './sessions.ts';
import type { Activity, StatusItem } from './status-item.ts';

/** Keeps the status item and the context keys true to what the sessions of this window do. */
export function followActivity(sessions: Sessions, status: StatusItem, keys: ContextKeys): vscode.Disposable {
  return sessions.onDidAct(({ session, event }) => {
    if (event?.type === 'state' || event?.type.startsWith('approval') || event?.type.startsWith('question')) {
      status.show(activityOf(sessions.live()));
    }
    if (session === sessions.current) setKeys(session, keys);
  });
}

/** How many answers a session waits for. */
export function waitingCount(session: LiveSession): number {
  return session.approvals().length + session.questions().length;
}

function activityOf(sessions: readonly LiveSession[]): Activity {
  const count = sessions.reduce((sum, session) => sum + waitingCount(session), 0);
  if (count > 0) return { is: 'waiting', count };
  return sessions.some((session) => session.state !== 'idle') ? { is: 'running' } : { is: 'idle' };
}

function setKeys(session: LiveSession, keys: ContextKeys): void {
  const items = session.items();
  keys.set('midcourse.sessionOpen', true);
  keys.set('midcourse.turnRunning', session.state !== 'idle');
  keys.set('midcourse.agentsWork', session.childAgents().some(isAtWork));
  keys.set('midcourse.waiting', waitingCount(session) > 0);
  keys.set('midcourse.canTakeOver', session.canTakeOver);
  keys.set('midcourse.hasQueue', items.length > 0);
  keys.set(
    'midcourse.hasHeld',
    items.some((item) => item.state.is === 'held'),
  );
  if (items.some((item) => item.kind === 'steer' || item.kind === 'redirect')) keys.set('midcourse.steered', true);
}

import { testIds } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { agentsAtWork } from '../state/agent-words.ts';
import { activityWords, elapsed } from '../state/words.ts';
import { Icon } from './icon.tsx';
import { useNow } from './use-now.ts';
import { useSlice } from './use-slice.ts';

/** What the agent does right now and for how long, whatever part of the conversation is in view. */
export function ActivityLine() {
  const state = useSlice((chat) => chat.state);
  const live = useSlice((chat) => chat.live);
  const children = useSlice((chat) => chat.children);
  const busy = state.state !== 'idle';
  const now = useNow(busy);
  if (!busy) return null;
  const since = state.since === undefined ? 0 : now - state.since;
  // While the turn runs tools, agents may be what it waits for.
  const agents = state.state === 'running' && state.phase === 'tool' ? agentsAtWork(children) : undefined;
  const asked = state.state === 'waiting' || agents?.ask === true;
  const left = state.until === undefined ? undefined : state.until - now;
  const words = visibleLine(agents?.words ?? activityWords(state, live, left));
  return (
    <div class={`activity ${asked ? 'waiting' : state.state}`} data-testid={testIds.activity}>
      <Icon name={asked ? 'bell-dot' : 'loading'} class={asked ? '' : 'codicon-modifier-spin'} />
      <span class="activity-words" title={words}>
        {words}
      </span>
      {since >= 1_000 && <span class="activity-time">{elapsed(since)}</span>}
    </div>
  );
}

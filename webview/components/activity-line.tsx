import { testIds } from '../../src/protocol/index.ts';
import { activityWords, elapsed } from '../state/words.ts';
import { Icon } from './icon.tsx';
import { useNow } from './use-now.ts';
import { useSlice } from './use-slice.ts';

/** What the agent does right now and for how long, whatever part of the conversation is in view. */
export function ActivityLine() {
  const state = useSlice((chat) => chat.state);
  const live = useSlice((chat) => chat.live);
  const busy = state.state !== 'idle';
  const now = useNow(busy);
  if (!busy) return null;
  const waiting = state.state === 'waiting';
  const since = state.since === undefined ? 0 : now - state.since;
  const words = activityWords(state, live, state.until === undefined ? undefined : state.until - now);
  return (
    <div class={`activity ${state.state}`} data-testid={testIds.activity}>
      <Icon name={waiting ? 'bell-dot' : 'loading'} class={waiting ? '' : 'codicon-modifier-spin'} />
      <span class="activity-words" title={words}>
        {words}
      </span>
      {since >= 1_000 && <span class="activity-time">{elapsed(since)}</span>}
    </div>
  );
}

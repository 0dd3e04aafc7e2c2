import assert from 'node:assert/strict';
import { playLoop } from './schedule.ts';
import { memoryStore } from './store.ts';

/** Shortest schedules that once broke an invariant, with what was wrong. */
const FOUND: readonly { readonly was: string; readonly labels: readonly string[] }[] = [
  {
    was: 'a stop that could not be stored left calls without results in the store',
    labels: [
      'send a',
      'calls: terminal',
      'tool 0: fails',
      'calls: ask',
      'the next write finds the lock held',
      'stop',
      'send b',
    ],
  },
  {
    was: 'a call whose hook answered after the stop was looked up',
    labels: ['a hook for pre_tool_call', 'send a', 'calls: read', 'stop', 'hook 0: fine'],
  },
  {
    was: 'output of an abandoned call was shown in a later turn',
    labels: ['send a', 'calls: read slow read', 'a system stop', 'the next timer', 'tool 0: output'],
  },
  {
    was: 'a compaction whose model was found after the stop asked for a summary',
    labels: ['a slow model look-up', 'compact', 'stop', 'model 0 is found'],
  },
  {
    was: 'an agent that was being stopped began another turn for a steer',
    labels: ['send a', 'calls: delegate', 'agent 0: calls: read slow read', 'a system stop', 'agent 0: steered'],
  },
  {
    was: 'a stop was not told to the model when another turn had ended unbegun before a crash',
    labels: [
      'a hook for pre_llm_call',
      'send a',
      'hook 0: context',
      'stop and send b',
      'hook 0: blocks',
      'crash',
      'send c',
      'hook 0: fine',
    ],
  },
];

describe('what the simulator has found', () => {
  for (const { was, labels } of FOUND) {
    it(`is no more: ${was}`, async () => {
      assert.equal(
        await playLoop(
          memoryStore(() => 0),
          labels,
        ),
        undefined,
      );
    });
  }
});

import { equal } from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { HandlerRig } from './rig.ts';

describe('a hook whose time limit is longer than a timer can count', () => {
  let rig: HandlerRig;
  beforeEach(async () => {
    rig = await HandlerRig.start();
  });
  afterEach(() => rig.close());

  it('has its time, as one that was written in milliseconds', async () => {
    const hook = rig.command('sleep 0.05; echo done', { timeout: 3_600_000 });
    equal((await rig.run(hook)).stdout, 'done\n');
  });

  it('is not over before its model has answered', async () => {
    const complete = async (_question: object, signal: AbortSignal) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      signal.throwIfAborted();
      return { text: '{"ok": true}', model: 'fake/model' };
    };
    const hook = rig.command(
      '',
      { type: 'prompt', prompt: 'Is it done?', timeout: 3_600_000 },
      { completion: { complete } },
    );
    equal((await rig.run(hook)).stdout, '{"ok": true}');
  });
});

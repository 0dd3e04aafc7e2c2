import assert from 'node:assert/strict';
import { planBatch, ToolRegistry } from '../../../src/agent/tools/index.ts';
import { callWords } from '../../../src/words/call-words.ts';
import { Workspace } from './tool-context.ts';

describe('the delegate tool', () => {
  const workspace = new Workspace();
  const tool = workspace.registry.find('delegate');

  before(() => workspace.open());
  after(() => workspace.close());

  it('takes a name and a task, both with words in them', () => {
    const parsed = tool?.input.parse({ name: ' tests ', task: 'Run them.' });
    assert.deepEqual(parsed, { name: 'tests', task: 'Run them.', background: false });
    for (const wrong of [
      { name: 'x' },
      { name: ' ', task: 'y' },
      { name: 'x', task: ' ' },
      { name: 'x'.repeat(41), task: 'y' },
    ]) {
      assert.equal(tool?.input.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });

  it('says on its card who works, and where', () => {
    const label = (background: boolean) => {
      const subject = tool?.subject({ name: 'tests', task: 'Run them.', background });
      return subject && callWords(subject, 'success');
    };
    assert.deepEqual([label(false), label(true)], ['Delegated: tests', 'Delegated in the background: tests']);
  });

  it('needs no permission: the agent asks for what it does', async () => {
    assert.equal(await workspace.permission('delegate', { name: 'x', task: 'y' }), undefined);
  });

  it('calls of one answer overlap with each other and with reads', () => {
    const calls = ['delegate', 'delegate', 'list_files', 'terminal'].map((name, index) => ({
      callId: `c${index}`,
      name,
      input: { delegate: { name: 'x', task: 'y' }, list_files: {}, terminal: { command: 'ls' } }[name],
    }));
    const segments = planBatch(calls, new ToolRegistry()).map(({ segment }) => segment);
    assert.deepEqual(segments, [0, 0, 0, 1]);
  });

  it('refuses where nobody can be delegated to', async () => {
    const { status, text } = await workspace.run('delegate', { name: 'x', task: 'y' });
    assert.equal(status, 'error');
    assert.match(text, /does not delegate further/);
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { ResultStatus, ToolCard } from '../../../src/api.ts';
import { testIds, toolCardId } from '../../../src/protocol/index.ts';
import { answer, snapshot, toolResult, user } from '../../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../../webview/dev/stage.ts';

describe('the words of calls in the page', () => {
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
  });

  beforeEach(async () => {
    chat = await stage.chat();
  });

  afterEach(async () => {
    assert.deepEqual(chat.problems, []);
    await chat.page.close();
  });

  after(() => stage.close());

  const statuses: readonly ResultStatus[] = [
    'denied',
    'blocked',
    'withdrawn',
    'not_run',
    'stopped',
    'timeout',
    'abandoned',
  ];

  it('J4d. a plan that the todo tool takes stands on its card, with each step and how it stands', async () => {
    const items = [
      { id: '1', content: 'Find the loop', status: 'completed' },
      { id: '2', content: 'Run the tests', status: 'in_progress' },
    ];
    const rows = [
      user('t1', 'Go'),
      answer('t1', 1, '', [{ callId: 'p1', name: 'todo', input: { items } }]),
      toolResult('t1', 'p1', 'ok', { label: '', durationMs: 1 }),
    ];
    await chat.send(snapshot({ rows }));
    const plan = chat.testId(toolCardId('p1')).getByRole('list', { name: 'Plan' });
    await plan.getByText('Run the tests').waitFor();
    assert.deepEqual(
      await plan.locator('li').evaluateAll((all) => all.map(({ className, textContent }) => [className, textContent])),
      [
        ['completed', 'Find the loop'],
        ['in_progress', 'Run the tests'],
      ],
    );
  });

  it('J4e. the plan is shown also where the model names its list as another program does', async () => {
    const steps = [{ content: 'Run the tests', status: 'pending' }] as const;
    const card: ToolCard = { label: 'Updated the plan', subject: { verb: 'plan', object: '', steps }, durationMs: 1 };
    const said = answer('t1', 1, '', [{ callId: 'p1', name: 'todo', input: { items: [] } }]);
    const parts = said.parts.map((part) => (part.type === 'tool_call' ? { ...part, input: { todos: steps } } : part));
    const result = { ...toolResult('t1', 'p1', 'ok', card), card };
    await chat.send(snapshot({ rows: [user('t1', 'Go'), { ...said, parts }, result] }));
    await chat.testId(toolCardId('p1')).getByRole('list', { name: 'Plan' }).getByText('Run the tests').waitFor();
  });

  for (const [name, input, done] of [
    ['terminal', { command: 'rm -rf build' }, /^Ran/],
    ['write_file', { path: 'a.ts', content: '' }, /^Wrote/],
    ['patch', { path: 'a.ts', old_string: 'a', new_string: 'b' }, /^Edited/],
    ['mcp__echo__say', {}, /^Used/],
  ] as const) {
    it(`J5f. a call of ${name} that was not done, or not to its end, does not say that it was, also in what 0.4 stored`, async () => {
      const past: ToolCard = { label: 'Used say of echo', durationMs: 1 };
      const card: ToolCard = name.startsWith('mcp')
        ? { ...past, subject: { verb: 'use', object: 'say', where: 'echo' } }
        : past;
      const calls = statuses.flatMap((status) => [status, `old-${status}`].map((callId) => ({ callId, name, input })));
      const rows = [
        user('t1', 'Go'),
        answer('t1', 1, '', calls),
        ...statuses.flatMap((status) => [
          toolResult('t1', status, 'x', card, status),
          // Without a subject, in the words of then.
          { ...toolResult('t1', `old-${status}`, 'x', past, status), card: { label: 'Ran it', durationMs: 1 } },
        ]),
      ];
      await chat.send(snapshot({ rows }));
      for (const { callId } of calls) {
        const label = chat.testId(toolCardId(callId)).locator('.card-label');
        await label.waitFor();
        const words = (await label.textContent()) ?? '';
        assert.doesNotMatch(words, done, callId);
        assert.match(words, /^(?:Not |Did not finish )/, callId);
        assert.equal(await label.getAttribute('title'), words);
      }
    });
  }

  it('J6a. reads of one file are one file, whatever their lines and however its path is written', async () => {
    const paths = ['src/a.ts', './src/a.ts', 'src/a.ts', 'src/b.ts'];
    const calls = paths.map((path, n) => ({
      callId: `r${n}`,
      name: 'read_file',
      input: { path, offset: 1 + n, limit: 10 },
    }));
    const rows = [
      user('t1', 'Go'),
      answer('t1', 1, '', calls),
      ...calls.map(({ callId }) => toolResult('t1', callId, 'x', { label: '', durationMs: 1 })),
    ];
    await chat.send(snapshot({ rows }));
    await chat.testId(testIds.toolGroup).getByText('Read 2 files', { exact: true }).waitFor();
  });
});

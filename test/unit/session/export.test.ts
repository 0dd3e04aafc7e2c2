import assert from 'node:assert/strict';
import { exportJson, exportMarkdown, openStore, type SessionStore } from '../../../src/agent/session/index.ts';
import { answer, calls, item, row, session, temporaryFolder, toolResult } from './builders.ts';

describe('export of a session', () => {
  const folder = temporaryFolder();
  let store: SessionStore;

  beforeEach(() => {
    store = openStore(folder.path).store;
    store.create(session('s', { title: 'Fix\nthe parser', titleSource: 'user', createdAt: Date.UTC(2026, 10, 29) }));
    const run = answer(3, 'Now I run it.', {
      parts: [
        { type: 'text', text: 'Now I run it.' },
        { type: 'tool_call', callId: 'call-t', name: 'terminal', input: { command: 'echo `date`\nls' } },
      ],
    });
    store.commit({
      sessionId: 's',
      items: [item('i', 20)],
      rows: [
        row(1, 'Fix it'),
        calls(2, 'read', 'write'),
        toolResult(4, 'read'),
        toolResult(5, 'write', { status: 'not_run' }),
        run,
        row(6, 'only tests', { kind: 'steer' }),
        answer(7, 'All right, I', { interrupted: 'redirect' }),
        row(8, 'closing', { role: 'assistant', kind: 'closing', displayText: null }),
        row(9, 'A process ended.', { role: 'notice', kind: 'notice' }),
      ],
    });
  });
  afterEach(() => store.close());

  it('as Markdown reads like the conversation, with one line for each tool call', () => {
    assert.equal(
      exportMarkdown(store, 's'),
      `# Fix the parser

_2026-11-29_

## You

Fix it

## Midcourse

- **read** \`read.ts\`: success
- **write** \`write.ts\`: not run

Now I run it.

- **terminal** \`\` echo \`date\` ls \`\`: no result

## You (steer)

only tests

## Midcourse

All right, I

_(interrupted by a redirect)_

## Note

A process ended.
`,
    );
  });

  it('names the images of a message, also of one without words', () => {
    const image = { type: 'image', mime: 'image/png', ref: 'r', name: 'cart.png' } as const;
    store.commit({ sessionId: 's', rows: [row(30, '', { parts: [image] })] });
    assert.match(exportMarkdown(store, 's') ?? '', /## You\n\n_\(image: cart\.png\)_\n$/);
  });

  it('as JSON holds everything that is stored', () => {
    const exported = JSON.parse(exportJson(store, 's') ?? '');
    assert.equal(exported.format, 'midcourse-session');
    assert.equal(exported.version, 1);
    assert.deepEqual(exported.session, store.get('s'));
    assert.deepEqual(exported.rows, store.rows('s'));
    assert.deepEqual(exported.items, store.items('s'));
  });

  it('of a session that does not exist is nothing', () => {
    assert.equal(exportJson(store, 'x'), undefined);
    assert.equal(exportMarkdown(store, 'x'), undefined);
  });
});

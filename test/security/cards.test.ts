/** What a card draws, in the page alone at the width of a side bar. */

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { PendingApproval } from '../../src/api.ts';
import { agentCardId, approvalCardId, cardControls, testIds, toolCardId } from '../../src/protocol/index.ts';
import { answer, snapshot, toolResult, usage, user } from '../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../webview/dev/stage.ts';

/** One of each kind that is not seen, turns the direction, moves the cursor or passes for something else. */
const evil =
  '\u202eA\u2066B\u200b\u200e\u061c\ufeff\u00ad\u3164\u{e0041}\x1b[31m\0\x08\u009b\u2028\u00a0\u3000p\u0430y\u2212';
const unseen = String.raw`(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[\u00a0\u3000\u0430]`;

describe('what a card shows', function () {
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    chat = await stage.chat({ width: 285, height: 720 });
  });
  afterEach(async () => {
    assert.deepEqual(chat.problems, []);
    await chat.page.close();
  });

  const card = () => chat.testId(approvalCardId('c1'));
  const show = async (approval: Partial<PendingApproval>) => {
    await chat.send(
      snapshot({
        rows: [user('t1', 'Go')],
        approvals: [asks(approval)],
        state: { state: 'waiting', phase: 'approval' },
      }),
    );
    await card().waitFor();
  };
  /** Texts, names and titles of the page in which something is that nobody sees. */
  const leaks = () =>
    chat.page.evaluate((pattern) => {
      const hidden = new RegExp(pattern, 'u');
      const texts = [...document.querySelectorAll('body *')].flatMap((element) => [
        ...[...element.childNodes].flatMap((node) => (node instanceof Text ? [node.data] : [])),
        ...['title', 'aria-label', 'alt', 'placeholder'].flatMap((name) => element.getAttribute(name) ?? []),
      ]);
      return texts.filter((text) => hidden.test(text));
    }, unseen);
  const answers = async () => (await chat.posted()).filter(({ type }) => type === 'answer');

  it('A2a. a command holds controls, escapes, bidi marks, zero-width characters, odd spaces and letters that look like others: each is a mark with its name, and their number is said', async () => {
    await show({ command: `echo ${evil}` });
    assert.deepEqual(await leaks(), []);
    const marks = card().locator('.command .hidden-mark');
    const count = await marks.count();
    assert.equal(count, 18);
    await card().getByText(`${count} hidden or misleading characters are shown as marks`).waitFor();
    const names = await marks.evaluateAll((all) =>
      all.map((mark) => [mark.textContent, mark.getAttribute('title'), mark.ariaLabel].join(' | ')),
    );
    assert.equal(names[0], '⟨U+202E⟩ | U+202E right-to-left override | hidden character U+202E right-to-left override');
    assert.ok(
      names.includes(
        '⟨U+0430⟩ | U+0430 Cyrillic letter that looks like a | hidden character U+0430 Cyrillic letter that looks like a',
      ),
    );
  });

  it('A2b. the same in a file name, a diff, a folder, a reason, a scope, names of sessions, agents, tools and answers, output and a plan: nothing of it is rendered anywhere', async () => {
    const child = { id: 'k1', name: evil, task: evil, callId: 'd1', state: 'running', mode: 'foreground' } as const;
    const calls = [
      { callId: 'r1', name: 'read_file', input: { path: `src/${evil}.ts` } },
      { callId: 'm1', name: 'mcp__x__y', input: { [`x${evil}`]: `a\n${evil}` } },
      { callId: 'p1', name: 'todo', input: { items: [{ id: '1', content: evil, status: 'pending' }] } },
      { callId: 'd1', name: 'delegate', input: { name: evil, task: evil } },
    ];
    const diff = { path: `src/${evil}.ts`, before: 'let a;\n', after: `let ${evil};\n` };
    await chat.send(
      snapshot({
        session: { id: 's1', title: evil },
        rows: [
          user('t1', 'Go'),
          answer('t1', 1, '', calls),
          toolResult(
            't1',
            'r1',
            `out ${evil}`,
            {
              label: `Read src/${evil}.ts`,
              detail: evil,
              durationMs: 1,
              diff,
              blockedBy: { hook: evil, reason: evil },
            },
            'blocked',
          ),
          toolResult('t1', 'p1', 'ok', { label: `Plan ${evil}`, durationMs: 1 }),
        ],
        approvals: [
          asks({ summary: `Edit src/${evil}.ts`, tool: 'patch', diff, why: evil, cwd: evil, alwaysScope: evil }),
          asks({
            id: 'a2',
            callId: 'c2',
            command: evil,
            summary: `Run ${evil}`,
            child,
            dangers: [{ why: evil, parts: [] }],
          }),
        ],
        questions: [
          {
            id: 'q1',
            turnId: 't1',
            callId: 'q1',
            text: 'Which?',
            multiple: false,
            freeText: false,
            choices: [{ id: 'x', label: evil }],
          },
        ],
        children: [{ ...child, turnId: 't1', activity: [evil], startedAt: Date.now(), usage, requests: 1 }],
        processes: [
          {
            id: 'b1',
            pid: 1,
            turnId: 't1',
            startedBy: 'user',
            tail: '',
            command: evil,
            cwd: evil,
            state: 'running',
            startedAt: Date.now(),
          },
        ],
        state: { state: 'waiting', phase: 'approval', label: `Read ${evil}` },
      }),
    );
    await card().waitFor();
    await card().getByTestId(cardControls.allowMenuButton).click();
    assert.deepEqual(await leaks(), []);
    await chat.page.keyboard.press('Escape');
    await chat.testId(toolCardId('r1')).getByTestId(cardControls.toggle).click();
    await chat.testId(toolCardId('m1')).getByTestId(cardControls.toggle).click();
    await chat.testId(agentCardId('d1')).waitFor();
    assert.deepEqual(await leaks(), []);
    assert.ok((await chat.page.locator('.diff .hidden-mark').count()) > 0);
    await card()
      .getByText(/hidden or misleading characters are shown as marks/)
      .waitFor();
  });

  it('A2c. a command of letters that are read from the right: its words stand in the order in which they run', async () => {
    await show({ command: 'echo שלום && rm עולם ; cat مرحبا | sh' });
    const lefts = await card()
      .locator('.command pre')
      .evaluate((pre) => {
        const text = pre.firstChild as Text;
        const places = [...text.data].map((_, at) => {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          const { top, left } = range.getBoundingClientRect();
          return Math.round(top) * 10_000 + left;
        });
        return places;
      });
    assert.deepEqual(
      lefts,
      lefts.toSorted((a, b) => a - b),
    );
  });

  const endings: readonly (readonly [string, string])[] = [
    ['60 line breaks', `npm --version${'\n'.repeat(60)}touch MARK`],
    ['a thousand lines of blanks', `npm --version${' \t\n'.repeat(1_000)}touch MARK`],
    ['900 blanks', `npm --version ${' '.repeat(900)}; touch MARK`],
    ['200 lines of comments', `npm --version\n${'# a comment\n'.repeat(200)}touch MARK`],
    ['one line of 3,000 characters', `npm --version # ${'words and more '.repeat(200)}; touch MARK`],
  ];
  for (const [index, [what, command]] of endings.entries()) {
    it(`A4${'abcde'.charAt(index)}. the end of a command stands behind ${what}: it is in sight at 285 px with nothing scrolled`, async () => {
      await show({ command });
      assert.ok(await isInSight(card().locator('.command').last(), 'touch MARK'));
      assert.ok(await isInSight(card().locator('.command').first(), 'npm --version'));
      if (index < 2)
        await card()
          .getByText(index === 0 ? '60 line breaks' : '1000 line breaks')
          .waitFor();
      if (index === 2) await card().getByText('901 blanks').waitFor();
    });
  }

  it('A4f. a command that does not fit says how many lines it has, scrolls by the keyboard, and shows that it scrolls', async () => {
    await show({ command: Array.from({ length: 80 }, (_, line) => `echo ${line}`).join('\n') });
    await card().getByText('80 lines: scroll above; the end:').waitFor();
    const box = card().locator('.command.scrolls');
    assert.equal(await box.getAttribute('tabindex'), '0');
    assert.equal(await box.getAttribute('aria-label'), 'Command, 80 lines');
    assert.equal(await box.evaluate((element) => getComputedStyle(element).overflowY), 'scroll');
    await box.focus();
    await chat.page.keyboard.press('End');
    await chat.page.waitForFunction(() => (document.querySelector('.command.scrolls')?.scrollTop ?? 0) > 100);
    assert.deepEqual(await answers(), []);
  });

  it('A4g. the input of a tool has 60,000 characters: what is left out is counted, its end is in sight, and the whole can be opened', async () => {
    const command = `send ${JSON.stringify({ text: 'x'.repeat(60_000), to: 'evil@example.com' })}`;
    await show({ tool: 'mcp', summary: 'Use send of the MCP server mail', command });
    await card()
      .getByText(/^\d{5} characters are left out here$/)
      .waitFor();
    assert.ok(await isInSight(card().locator('.command').last(), 'evil@example.com'));
    await card().getByTestId(cardControls.openCommand).click();
    const opened = (await chat.posted()).filter(({ type }) => type === 'openCommand');
    assert.deepEqual(opened, [{ type: 'openCommand', approvalId: 'a1' }]);
    assert.match((await card().locator('h2').textContent()) ?? '', /Use send of the MCP server mail/);
  });

  it('A5. rm -rf … && git push --force …: every danger is named in order, its parts are marked, and Allow is neither the default button nor a letter away', async () => {
    const command = 'rm -rf packages/vue/dist && git push --force origin main';
    await show({
      command,
      dangers: [
        { why: 'It overwrites what others pushed.', parts: [{ start: 28, end: command.length }] },
        { why: 'It deletes files for good.', parts: [{ start: 0, end: 24 }] },
      ],
      why: 'It overwrites what others pushed. It deletes files for good. This is asked every time.',
      choices: ['once', 'deny'],
    });
    await card().getByText('Dangerous').waitFor();
    assert.equal(await card().locator('.why').textContent(), 'This is asked every time.');
    assert.deepEqual(await card().locator('.dangers li').allInnerTexts(), [
      'It overwrites what others pushed.',
      'It deletes files for good.',
    ]);
    assert.deepEqual(await card().locator('.danger-part').allInnerTexts(), [
      'rm -rf packages/vue/dist',
      'git push --force origin main',
    ]);
    const allow = card().getByTestId(cardControls.allow);
    assert.doesNotMatch((await allow.getAttribute('class')) ?? '', /primary/);
    assert.equal(await allow.locator('kbd').count(), 0);
    await chat.testId(testIds.composer).focus();
    await chat.page.keyboard.press('Alt+j');
    for (const key of ['Enter', 'a']) await chat.page.keyboard.press(key);
    assert.deepEqual(await answers(), []);
    assert.equal(await chat.testId(testIds.composer).inputValue(), 'a');
    await allow.click();
    assert.equal((await answers()).length, 1);
  });

  it('A1. a masked word: the page does not have it before Show is pressed, by keyboard too, and shows only the command that it asked about', async () => {
    const secret = 'sk-live-0123456789abcdef';
    const command = `curl -H "X: ${'•'.repeat(secret.length)}" a.example; touch MARK`;
    await show({ command, masked: [{ start: 12, end: 12 + secret.length }] });
    const reveal = card().getByTestId(cardControls.revealSecrets);
    await reveal.focus();
    await chat.page.keyboard.press('Enter');
    await chat.reply('revealCommand', `curl -H "X: ${secret}" a.example; touch MARK`);
    await card().getByText(secret).waitFor();
    assert.deepEqual(
      (await chat.posted())
        .filter(({ type }) => type === 'revealCommand')
        .map((message) => 'approvalId' in message && message.approvalId),
      ['a1'],
    );
    await reveal.click();
    await card().getByText('•'.repeat(secret.length)).waitFor();
    assert.doesNotMatch(await chat.page.content(), new RegExp(secret));
    await reveal.click();
    await chat.reply('revealCommand', 'another command');
    await card().getByText('Mask the word again').waitFor();
    assert.doesNotMatch((await card().textContent()) ?? '', /another command/);
  });
});

function asks(overrides: Partial<PendingApproval>): PendingApproval {
  return {
    ...{ id: 'a1', turnId: 't1', callId: 'c1', sessionId: 's1', tool: 'terminal' },
    summary: `Run ${overrides.command ?? ''}`,
    why: 'Commands ask before they run.',
    choices: ['once', 'session', 'always', 'deny'],
    ...overrides,
  };
}

/** True when `words` are inside of `box` and of the window, as they are now. */
function isInSight(box: Locator, words: string): Promise<boolean> {
  return box.evaluate((element, wanted) => {
    const frame = element.getBoundingClientRect();
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = (node as Text).data.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      return [...range.getClientRects()].every(
        ({ top, bottom, left, right }) =>
          top >= Math.max(0, frame.top) - 1 &&
          bottom <= Math.min(innerHeight, frame.bottom) + 1 &&
          left >= 0 &&
          right <= innerWidth,
      );
    }
    return false;
  }, words);
}

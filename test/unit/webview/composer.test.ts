import assert from 'node:assert/strict';
import type { Snapshot } from '../../../src/protocol/index.ts';
import { answer, events, snapshot, summary, user } from '../../../webview/dev/script.ts';
import { belongsToComposition, defaultKeys } from '../../../webview/keys.ts';
import { announcement } from '../../../webview/state/announcements.ts';
import { initialState } from '../../../webview/state/chat-state.ts';
import { enterAction } from '../../../webview/state/composer-action.ts';
import { browse, noHistory, remember } from '../../../webview/state/history.ts';
import { reduce } from '../../../webview/state/reduce.ts';
import { appendRow, sectionsOf } from '../../../webview/state/sections.ts';
import { typedSince } from '../../../webview/state/typed-since.ts';

const chat = (overrides: Partial<Snapshot> = {}) => reduce(initialState, snapshot(overrides));
const running = { state: { state: 'running', phase: 'model' } } as const;
const approval = {
  ...{ id: 'a1', turnId: 't1', callId: 'c1', sessionId: 's1', tool: 'terminal', summary: 'Run npm test', why: 'Asks.' },
  choices: ['once', 'deny'],
} as const;
const question = {
  id: 'q1',
  turnId: 't1',
  callId: 'c1',
  text: 'Which?',
  choices: [],
  multiple: false,
  freeText: true,
} as const;
const settings = (busyInput: 'steer' | 'queue' | 'redirect') => ({ ...snapshot().settings, busyInput });

describe('Enter', () => {
  it('says on the button what it does right now', () => {
    const label = (overrides: Partial<Snapshot>) => enterAction(chat(overrides)).label;
    assert.equal(label({}), 'Send');
    assert.equal(label(running), 'Steer');
    assert.equal(label({ ...running, settings: settings('queue') }), 'Queue');
    assert.equal(label({ ...running, settings: settings('redirect') }), 'Redirect');
    assert.equal(label({ state: { state: 'stopping' } }), 'Queue');
    assert.equal(
      label({ state: { state: 'waiting', phase: 'approval' }, approvals: [approval] }),
      'Steer · cancels this approval',
    );
    assert.equal(
      label({
        state: { state: 'waiting', phase: 'approval' },
        approvals: [{ ...approval, child: { id: 'k', name: 'tests' } }],
      }),
      'Steer',
    );
    assert.equal(
      label({ state: { state: 'waiting', phase: 'approval' }, approvals: [approval], settings: settings('queue') }),
      'Queue',
    );
  });

  it('says in the composer when it cancels an approval, which a narrow button leaves out', () => {
    const waiting = { state: { state: 'waiting', phase: 'approval' } } as const;
    const placeholder = (overrides: Partial<Snapshot>) => enterAction(chat({ ...waiting, ...overrides })).placeholder;
    assert.match(placeholder({ approvals: [approval] }), /cancels the approval/);
    assert.match(placeholder({ approvals: [approval], settings: settings('redirect') }), /cancels the approval/);
    assert.doesNotMatch(placeholder({ approvals: [{ ...approval, child: { id: 'k', name: 'tests' } }] }), /cancels/);
  });

  it('answers an open question that takes free text, and steers past one that does not', () => {
    const waiting = { state: { state: 'waiting', phase: 'question' } } as const;
    assert.deepEqual(enterAction(chat({ ...waiting, questions: [question] })), {
      does: 'answer',
      questionId: 'q1',
      label: 'Answer',
      placeholder: 'Answer the question above',
    });
    assert.equal(
      enterAction(chat({ ...waiting, questions: [{ ...question, freeText: false }] })).label,
      'Steer · leaves the question',
    );
  });

  it('steers past a question with images: an answer is text alone', () => {
    const waiting = { state: { state: 'waiting', phase: 'question' } } as const;
    const asked = { ...chat({ ...waiting, questions: [question] }), draftImages: 1 };
    assert.equal(enterAction(asked).label, 'Steer · leaves the question');
  });

  it('queues images for a model that sees none, and says so', () => {
    const blind = chat({ ...running, model: { ...snapshot().model, vision: false } });
    assert.equal(enterAction({ ...blind, draftImages: 1 }).label, 'Queue');
    assert.equal(enterAction(blind).label, 'Steer');
  });

  it('does nothing in a session that is read-only; the bar says why', () => {
    const action = enterAction(chat({ session: { id: 's1', title: '', readOnly: 'It runs in another window.' } }));
    assert.equal(action.does, 'nothing');
    assert.equal(action.placeholder, 'Read only');
  });

  it('and Escape belong to an input method while it composes', () => {
    assert.equal(belongsToComposition({ isComposing: true, keyCode: 27 }), true);
    assert.equal(belongsToComposition({ isComposing: false, keyCode: 229 }), true);
    assert.equal(belongsToComposition({ isComposing: false, keyCode: 13 }), false);
  });
});

describe('the history of the composer', () => {
  const history = ['one', 'two', 'three'].reduce(remember, noHistory);

  it('goes back from an empty composer and forth again to it', () => {
    const first = browse(history, 'older', '');
    assert.equal(first?.text, 'three');
    const second = browse(first.history, 'older', 'three');
    assert.equal(second?.text, 'two');
    const third = browse(second.history, 'newer', 'two');
    assert.equal(third?.text, 'three');
    assert.equal(browse(third.history, 'newer', 'three')?.text, '');
  });

  it('leaves the arrows alone where there is a draft, also one made from an old text', () => {
    assert.equal(browse(history, 'older', 'my draft'), undefined);
    const first = browse(history, 'older', '');
    assert.ok(first);
    assert.equal(browse(first.history, 'older', 'three, changed'), undefined);
  });

  it('ends at the oldest text and keeps each text once', () => {
    let at = { history: remember(history, 'one'), text: '' };
    const seen: string[] = [];
    for (let step = browse(at.history, 'older', at.text); step; step = browse(at.history, 'older', at.text)) {
      seen.push(step.text);
      at = step;
    }
    assert.deepEqual(seen, ['one', 'three', 'two']);
  });
});

describe('what is announced', () => {
  const idle = chat();

  it('is the beginning, what needs the user and the end, not the words between', () => {
    const busy = { ...idle, state: { state: 'running', phase: 'model' } as const };
    assert.equal(announcement(idle, busy), 'Turn started.');
    assert.equal(
      announcement(busy, { ...busy, approvals: [approval] }),
      'Needs your approval: Run npm test. Alt+J moves there.',
    );
    assert.equal(announcement(busy, { ...busy, questions: [question] }), 'Asks you: Which? Alt+J moves there.');
    const live = { turnId: 't1', startedAt: 0, request: 1, attempt: 1, text: 'word', reasoning: '', tools: [] };
    assert.equal(announcement(busy, { ...busy, live }), undefined);
  });

  it('is that the session came to this window, or went to another one', () => {
    const elsewhere = { ...idle, session: { ...idle.session, readOnly: 'It runs in another window.' } };
    assert.match(announcement(elsewhere, idle) ?? '', /in this window now/);
    assert.equal(announcement(idle, elsewhere), 'It runs in another window.');
  });

  it('is that earlier conversation was summarised, once', () => {
    const before = { ...idle, sections: sectionsOf([user('t1', 'Go')]) };
    const after = { ...idle, sections: appendRow(before.sections, summary('t1', 'S')) };
    assert.equal(announcement(before, after), 'Earlier conversation was summarised.');
    const later = { ...after, sections: appendRow(after.sections, answer('t1', 2, 'On')) };
    assert.equal(announcement(after, later), undefined);
  });

  it('is that another model goes on, once', () => {
    const before = chat();
    const notice = { type: 'notice', turnId: 't1', kind: 'model_switched', text: 'Opus goes on.' } as const;
    const after = reduce(before, events(0, notice));
    assert.equal(announcement(before, after), 'Opus goes on.');
    assert.equal(announcement(after, { ...after, draftImages: 1 }), undefined);
  });
});

describe('default keys', () => {
  it('are written as each system writes them', () => {
    assert.equal(defaultKeys.redirect('mac'), '⌘Enter');
    assert.equal(defaultKeys.redirect('linux'), 'Ctrl+Enter');
    assert.equal(defaultKeys.stopAnywhere('windows'), 'Alt+Backspace');
  });
});

describe('what was typed since a draft was noted', () => {
  it('is found wherever the caret stood', () => {
    assert.equal(typedSince('run it', 'run it'), '');
    assert.equal(typedSince('run it', 'run it and then'), 'and then');
    assert.equal(typedSince('run it', 'run all of it'), 'all of ');
    assert.equal(typedSince('aa', 'aaa'), 'a');
    assert.equal(typedSince('', 'new'), 'new');
  });

  it('is nothing where only letters were deleted', () => {
    assert.equal(typedSince('run it', 'run'), '');
  });
});

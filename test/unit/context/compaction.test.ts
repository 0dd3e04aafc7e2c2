import assert from 'node:assert/strict';
import fc from 'fast-check';
import { charactersWithin, framedSummary, planCompaction, totalTokens } from '../../../src/agent/context/index.ts';
import { anthropicMessages } from '../../../src/agent/model/wires/anthropic/messages.ts';
import { chatMessages } from '../../../src/agent/model/wires/chat/messages.ts';
import { parseStored, toStored, transcriptRow } from '../../../src/agent/session/stored-json.ts';
import { History } from '../../../src/agent/turn/history.ts';
import type { Part, TranscriptRow } from '../../../src/api.ts';
import { validateAnthropic, validateOpenAi } from '../../model-server/index.ts';

const text = fc.oneof(fc.constantFrom('ok', 'a "quoted" \\ text', '🙂'), fc.string({ minLength: 1, maxLength: 4000 }));

/** What a turn may leave behind: texts of the user, answers with and without calls, cut answers, notices, summaries. */
const step = fc.oneof(
  fc.record({ is: fc.constant('user' as const), kind: fc.constantFrom('message', 'steer', 'redirect'), text }),
  fc.record({ is: fc.constant('answer' as const), text, results: fc.array(text, { maxLength: 3 }), cut: fc.boolean() }),
  fc.record({ is: fc.constant('notice' as const), text }),
  fc.record({ is: fc.constant('compaction' as const), window: fc.integer({ min: 50, max: 20_000 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The rows that these steps leave, compactions carried out as the loop does it. */
function rowsOf(steps: readonly Step[]): TranscriptRow[] {
  const history = new History();
  const rows: TranscriptRow[] = [];
  const add = (row: Omit<TranscriptRow, 'id' | 'seq' | 'turnId'>): void => {
    const seq = 3 * rows.length + 1;
    rows.push({ id: `r${seq}`, seq, turnId: 't', ...row });
    history.append(rows.at(-1) as TranscriptRow);
  };
  const words = (said: string): readonly Part[] => [{ type: 'text', text: said }];
  add({ role: 'user', kind: 'message', parts: words('Begin'), displayText: 'Begin' });
  for (const each of steps) {
    if (each.is === 'user')
      add({ role: 'user', kind: each.kind as 'steer', parts: words(each.text), displayText: each.text });
    else if (each.is === 'notice')
      add({ role: 'notice', kind: 'notice', parts: words(each.text), displayText: each.text, providerText: each.text });
    else if (each.is === 'compaction') {
      const row = summaryOf(history, each.window);
      if (row) add(row);
    } else {
      const calls = each.results.map(
        (_, index): Part => ({ type: 'tool_call', callId: `c${rows.length}.${index}`, name: 'read_file', input: {} }),
      );
      const cut = each.cut && calls.length === 0;
      const parts = [...words(each.text), ...calls];
      add({ role: 'assistant', kind: 'text', parts, displayText: each.text, ...(cut ? { interrupted: 'stop' } : {}) });
      for (const [index, call] of calls.entries()) {
        if (call.type !== 'tool_call') continue;
        const result = each.results[index] ?? '';
        const { callId } = call;
        add({
          role: 'tool',
          kind: 'tool_result',
          parts: words(result),
          displayText: result,
          callId,
          status: 'success',
        });
      }
    }
  }
  return rows;
}

function summaryOf(history: History, window: number): Omit<TranscriptRow, 'id' | 'seq' | 'turnId'> | undefined {
  const plan = planCompaction(history.entries(), window);
  if (!plan) return undefined;
  const goal = history.goalBefore(plan.keepsFrom);
  return {
    role: 'notice',
    kind: 'summary',
    parts: [{ type: 'text', text: 'S' }],
    displayText: 'Summarised.',
    providerText: framedSummary('S', goal, Number.POSITIVE_INFINITY),
    keepsFrom: plan.keepsFrom,
  };
}

const steps = fc.array(step, { maxLength: 25 });
const window = fc.integer({ min: 50, max: 20_000 });

/** Compacts what the steps left, once more, and gives what was and what is sent. */
function compacted(left: readonly Step[], size: number) {
  const rows = rowsOf(left);
  const history = new History(rows);
  const before = history.entries();
  const plan = planCompaction(before, size);
  const row = summaryOf(history, size);
  if (!plan || !row) return undefined;
  const last: TranscriptRow = { ...row, id: 'last', turnId: 't', seq: 3 * rows.length + 1 };
  history.append(last);
  return { rows, last, before, plan, history, after: history.entries() };
}

describe('a compaction of any history', function () {
  this.timeout(30_000);

  function always(check: (done: NonNullable<ReturnType<typeof compacted>>, size: number) => void): void {
    fc.assert(
      fc.property(steps, window, (left, size) => {
        const done = compacted(left, size);
        if (done) check(done, size);
      }),
      { numRuns: 400 },
    );
  }

  it('is legal on both wires, also when it is compacted again and again', () => {
    always(({ history }) => {
      const messages = [...history.messages(), { role: 'user' as const, text: 'Next' }];
      const anthropic = { model: 'm', max_tokens: 1, messages: anthropicMessages(messages, 'h') };
      assert.equal(validateAnthropic(anthropic), undefined);
      assert.equal(validateOpenAi({ model: 'm', messages: chatMessages('Be brief.', messages) }), undefined);
      assert.equal(messages[0]?.role, 'user');
    });
  });

  it('keeps a tail as it was, in order, and puts one summary before it', () => {
    always(({ before, plan, after }) => {
      assert.deepEqual(after.slice(1), plan.kept);
      assert.deepEqual([...plan.summarised, ...plan.kept], before);
      assert.deepEqual(
        after.map((entry) => entry.summary),
        after.map((_, index) => index === 0),
      );
    });
  });

  it('parts no call from its results', () => {
    always(({ plan }) => {
      const called = plan.kept.flatMap(({ message }) =>
        message.role === 'assistant' ? message.calls.map((call) => call.callId) : [],
      );
      const results = plan.kept.flatMap(({ message }) => (message.role === 'tool' ? [message.callId] : []));
      assert.deepEqual(results, called);
    });
  });

  it('keeps the newest message when it is the user’s, and their last goal in their own words', () => {
    always(({ rows, before, after }) => {
      const newest = before.at(-1);
      if (newest?.message.role === 'user' && !newest.summary) assert.equal(after.at(-1), newest);
      const goal = rows.findLast((row) => row.role === 'user')?.displayText ?? '';
      assert.ok(
        after.some(({ message }) => message.role === 'user' && message.text.includes(goal)),
        goal,
      );
    });
  });

  it('keeps no more than a fifth of the window beside the newest exchange', () => {
    always(({ plan }, size) => {
      const newest = plan.kept.findLastIndex(({ message }) => message.role !== 'tool');
      assert.ok(totalTokens(plan.kept.slice(0, Math.max(0, newest))) <= size * 0.2);
    });
  });

  it('is read from stored rows as it was made', () => {
    always(({ rows, last, history }) => {
      const stored = [...rows, last].map((row) => parseStored(transcriptRow, toStored(row)));
      const read = new History(stored.filter((row) => row !== undefined));
      assert.deepEqual(read.messages(), JSON.parse(toStored(history.messages())));
    });
  });

  it('is not planned when only a summary and its tail are there', () => {
    always(({ history }, size) => {
      const plan = planCompaction(history.entries(), size);
      assert.ok(plan === undefined || plan.summarised.some((entry) => !entry.summary));
    });
  });
});

describe('a goal that is repeated', () => {
  it('loses its middle when it is too long, with a mark', () => {
    const framed = framedSummary('S', `start ${'x'.repeat(5000)} end`, charactersWithin(100));
    assert.ok(framed.length < 1000);
    assert.match(framed, /start x+\n\[… \d+ characters are left out here …\]\nx+ end/);
  });
});

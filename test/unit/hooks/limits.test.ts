import assert from 'node:assert/strict';
import { frozenCopy } from '../../../src/agent/hooks/frozen-copy.ts';
import { decidedWords, fullMatch, nativeTimeout } from '../../../src/agent/hooks/index.ts';

describe('time limits of our own hooks', () => {
  it('are 30 s unless asked for, and 600 s at most', () => {
    const asked = [undefined, 0, -1, Number.NaN, 5000, 3_600_000];
    assert.deepEqual(
      asked.map((timeout) => nativeTimeout('pre_tool_call', timeout)),
      [30_000, 30_000, 30_000, 30_000, 5000, 600_000],
    );
  });

  it('are short where nobody can wait: at a stop and at the end of a session', () => {
    assert.deepEqual([nativeTimeout('agent_loop_stopped'), nativeTimeout('agent_loop_stopped', 9000)], [1000, 3000]);
    assert.equal(nativeTimeout('on_session_finalize'), 1500);
  });
});

describe('the matcher of our own hooks', () => {
  it('means the whole name, whatever space is round it', () => {
    const means = fullMatch(' read_.*|terminal\n');
    assert.deepEqual(['read_file', 'terminal', 'my_terminal', 'terminals'].map(means), [true, true, false, false]);
  });

  it('means every tool when it is blank, and its own text when it is no regular expression', () => {
    assert.equal(fullMatch('  ')('anything'), true);
    assert.equal(fullMatch(undefined)('anything'), true);
    assert.deepEqual(['[tool', 'tool'].map(fullMatch('[tool')), [true, false]);
  });
});

describe('what a run decided, in words', () => {
  const words = (event: 'pre_tool_call' | 'post_tool_call', answer: object) =>
    decidedWords({ event, answers: true }, answer);

  it('says each thing, and nothing when there is none', () => {
    const block = { reason: 'no secrets in commits', by: 'h', modelText: '' };
    assert.equal(words('pre_tool_call', { block }), 'blocked: no secrets in commits');
    assert.equal(words('post_tool_call', { block }), 'gave feedback: no secrets in commits');
    assert.equal(
      words('pre_tool_call', { input: {}, context: 'x'.repeat(120) }),
      'changed the input; added 120 characters',
    );
    assert.equal(words('pre_tool_call', { permission: { decision: 'allow', reason: '', by: 'h' } }), 'allowed');
    assert.equal(words('pre_tool_call', {}), 'nothing');
  });

  it('is cut where it is too long to read', () => {
    const block = { reason: 'x'.repeat(5000), by: 'h', modelText: '' };
    assert.equal(words('pre_tool_call', { block }).length, 300);
  });
});

describe('the copy that hooks are given', () => {
  it('is frozen all the way down, and leaves the original alone', () => {
    const original = { input: { list: [{ a: 1 }] } };
    const copy = frozenCopy(original);
    assert.ok(Object.isFrozen(copy.input.list[0]));
    assert.ok(!Object.isFrozen(original.input));
    assert.deepEqual(copy, original);
  });

  it('is made of what is nested deeper than any stack goes, too', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    assert.ok(Object.isFrozen(frozenCopy({ deep })));
  });
});

import assert from 'node:assert/strict';
import { mergeAnswers } from '../../../src/agent/hooks/merge.ts';
import type { Dialect, HookAnswer } from '../../../src/agent/hooks/types.ts';
import type { HookEvent } from '../../../src/hooks-api.ts';
import { callPayload, payloadOf } from './manager-rig.ts';

const block = (by: string) => ({ block: { reason: `no, says ${by}`, by, modelText: 'no' } });
const ask = (by: string) => ({ ask: { reason: 'look first', by } });
const allow = (by: string) => ({ permission: { decision: 'allow', reason: '', by } }) as const;
const deny = (by: string) => ({ permission: { decision: 'deny', reason: '', by } }) as const;

describe('the answers of several hooks', () => {
  const merged = (event: HookEvent, ...answers: (HookAnswer | [Dialect, HookAnswer])[]) =>
    mergeAnswers(
      event,
      event === 'pre_tool_call' ? callPayload : payloadOf('post_llm_call', { response: '' }),
      answers.map((one, index) => {
        const [dialect, answer] = Array.isArray(one) ? one : (['claude', one] as const);
        return { hook: { dialect, name: `h${index}` }, answer };
      }),
    );
  const decided = (...answers: HookAnswer[]) => Object.keys(merged('pre_tool_call', ...answers)).sort();

  it('is decided by the most severe, whatever the order', () => {
    const input = { input: { command: 'ls -l' } };
    assert.deepEqual(decided(allow('a'), ask('b'), block('c'), input), ['block']);
    assert.deepEqual(decided(allow('a'), ask('b')), ['ask']);
    assert.deepEqual(decided(ask('b'), input), ['ask', 'input', 'inputBy']);
    assert.deepEqual(decided(allow('a'), {}), ['permission']);
    assert.deepEqual(decided({}, {}), []);
  });

  it('is that of the first of the same severity', () => {
    assert.equal(merged('pre_tool_call', block('a'), block('b')).block?.by, 'a');
    assert.equal(merged('pre_tool_call', ask('a'), ask('b')).ask?.by, 'a');
    assert.equal(merged('pre_approval_request', allow('a'), allow('b')).permission?.by, 'a');
  });

  it('denies when one denies and another one allows', () => {
    assert.equal(merged('pre_approval_request', allow('a'), deny('b')).permission?.decision, 'deny');
  });

  it('takes no permission from a hook that has not seen what another made of the input', () => {
    assert.deepEqual(decided(allow('a'), { input: { command: 'rm -r .' } }), ['input', 'inputBy']);
    const both = { input: { command: 'ls -l' }, ...allow('a') };
    assert.deepEqual(decided(both), ['input', 'inputBy', 'permission']);
  });

  it('adds up the values that hooks of Midcourse and Hermes change; the later wins for the same key', () => {
    const { input, inputBy } = merged(
      'pre_tool_call',
      ['midcourse', { input: { command: 'one', timeout: 5 } }],
      ['hermes', { input: { command: 'ls', timeout: 9 } }],
      ['midcourse', { input: { command: 'two', timeout: 5 } }],
    );
    assert.deepEqual([input, inputBy], [{ command: 'two', timeout: 9 }, 'h0, h1, h2']);
  });

  it('replaces the input by that of the last hook of another system', () => {
    const { input, inputBy } = merged(
      'pre_tool_call',
      ['midcourse', { input: { command: 'one', timeout: 5 } }],
      ['claude', { input: { command: 'two' } }],
      ['codex', { input: { command: 'three' } }],
    );
    assert.deepEqual([input, inputBy], [{ command: 'three' }, 'h2']);
  });

  it('joins contexts with a blank line, and says whose they are', () => {
    const { context, contextBy } = merged('pre_llm_call', { context: 'one' }, {}, { context: 'two' });
    assert.deepEqual([context, contextBy], ['one\n\ntwo', 'h0, h2']);
  });

  it('takes the first text that replaces another, also an empty one, but no empty last word', () => {
    const texts = [{ replace: '' }, { replace: 'b' }, { replace: 'c' }];
    assert.equal(merged('transform_tool_result', ...texts).replace, '');
    const last = merged('transform_llm_output', ...texts);
    assert.deepEqual([last.replace, last.replaceBy], ['b', 'h1']);
  });

  it('goes on once, with everything that hooks want', () => {
    const wishes = ['test it', 'format it'].map((text, index) => ({ goOn: { text, by: `h${index}` } }));
    assert.deepEqual(merged('pre_verify', ...wishes).goOn, { text: 'test it\n\nformat it', by: 'h0, h1' });
  });

  it('keeps what is said beside a block, and the end of the turn', () => {
    const stopTurn = { reason: 'enough', by: 'h1' };
    const all = merged('post_tool_call', block('a'), { context: 'see', replace: 'new', stopTurn });
    assert.deepEqual([all.block?.by, all.context, all.replace, all.stopTurn], ['a', 'see', 'new', stopTurn]);
  });
});

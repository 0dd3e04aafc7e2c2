import assert from 'node:assert/strict';
import { hookEvents, nativeAnswer, nativeAnswers } from '../../../src/agent/hooks/index.ts';
import { callPayload, payloadOf } from './manager-rig.ts';

describe('what a handler of our own dialect returns', () => {
  const prompt = payloadOf('pre_llm_call', { user_message: 'Go', kind: 'message', item_id: 'i', is_first_turn: true });
  const toCall = (value: unknown) => nativeAnswer('pre_tool_call', callPayload, value, 'guard');

  it('blocks with its reason, and the model is told who did', () => {
    const { answer, warnings } = toCall({ block: 'not on Fridays' });
    assert.deepEqual(answer.block?.reason, 'not on Fridays');
    assert.match(answer.block?.modelText ?? '', /guard.*not on Fridays/);
    assert.deepEqual(warnings, []);
  });

  it('is ignored with a warning when it blocks without a reason, or with something else', () => {
    for (const value of [{ block: '' }, { block: true }, 'no', 7, [], { input: 'x' }]) {
      const { answer, warnings } = toCall(value);
      assert.deepEqual([answer, warnings.length], [{}, 1], JSON.stringify(value));
    }
  });

  it('asks without a reason too', () => {
    assert.ok(toCall({ ask: '' }).answer.ask?.reason);
  });

  it('changes single values of the input', () => {
    assert.deepEqual(toCall({ input: { timeout: 9 } }).answer.input, { command: 'ls', timeout: 9 });
  });

  it('is a context when it is a text before a request, and replaces where texts are transformed', () => {
    assert.deepEqual(nativeAnswer('pre_llm_call', prompt, 'It rains.', 'h').answer, { context: 'It rains.' });
    const text = payloadOf('transform_llm_output', { response_text: 'x' });
    assert.deepEqual(nativeAnswer('transform_llm_output', text, 'y', 'h').answer, { replace: 'y' });
    assert.equal(nativeAnswer('transform_llm_output', text, { block: 'y' }, 'h').warnings.length, 1);
  });

  it('says which of its fields have no use', () => {
    const { answer, warnings } = toCall({ ask: 'look', context: 'x', action: 'block' });
    assert.equal(answer.ask?.reason, 'look');
    assert.match(warnings.join(), /no use for context, action/);
  });

  it('is not looked at where it only observes', () => {
    const observing = hookEvents.filter((event) => !nativeAnswers(event));
    assert.ok(observing.includes('post_tool_call') && observing.includes('agent_loop_stopped'));
    for (const event of observing) {
      assert.deepEqual(nativeAnswer(event, callPayload, { block: 3 }, 'h'), { answer: {}, warnings: [] });
    }
  });
});

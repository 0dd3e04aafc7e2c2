import assert from 'node:assert/strict';
import { validateAnthropic, validateOpenAi } from '../../model-server/index.ts';

const user = { role: 'user', content: 'Fix the test' };

describe('the validator of the Chat Completions API', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } });
  const asks = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
  const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'text' });
  const check = (...messages: object[]) => validateOpenAi({ model: 'm', messages });

  it('accepts a history in which every call is answered right away', () => {
    assert.equal(check(user, asks('a', 'b'), answer('a'), answer('b'), user), undefined);
  });

  it('accepts two user messages in a row', () => {
    assert.equal(check(user, user), undefined);
  });

  const refused: [string, RegExp, object[]][] = [
    ['a call without an answer', /unanswered: b/, [user, asks('a', 'b'), answer('a'), user]],
    ['a call without an answer at the end', /unanswered: a/, [user, asks('a')]],
    ['an answer without a call', /must answer a tool call/, [user, answer('a')]],
    ['a second answer to one call', /must answer a tool call/, [user, asks('a'), answer('a'), answer('a')]],
    ['an answer that comes after a user message', /unanswered: a/, [user, asks('a'), user, answer('a')]],
    ['one call id twice in a message', /occurs twice/, [user, asks('a', 'a'), answer('a'), answer('a')]],
    ['an empty user text', /messages\.0\.content/, [{ role: 'user', content: '' }]],
    ['an assistant message without anything', /needs content or tool_calls/, [user, { role: 'assistant' }]],
    ['an empty list of calls', /tool_calls/, [user, { role: 'assistant', content: 'x', tool_calls: [] }]],
    ['an unknown role', /role/, [{ role: 'narrator', content: 'x' }]],
    ['a key that is not of the API', /kind/, [{ role: 'user', content: 'x', kind: 'steer' }]],
    [
      'arguments that are no JSON',
      /valid JSON/,
      [user, { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'x', arguments: '{"a' } }] }],
    ],
  ];
  for (const [what, why, messages] of refused) {
    it(`refuses ${what}`, () => assert.match(check(...messages) ?? 'accepted', why));
  }

  it('refuses stream_options without stream', () => {
    const body = { model: 'm', messages: [user], stream_options: { include_usage: true } };
    assert.match(validateOpenAi(body) ?? 'accepted', /stream_options/);
  });
});

describe('the validator of the Messages API', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'read_file', input: { path: 'a' } });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'text' });
  const asks = (...ids: string[]) => ({ role: 'assistant', content: ids.map(use) });
  const answers = (...ids: string[]) => ({ role: 'user', content: ids.map(result) });
  const text = (value: string) => ({ type: 'text', text: value });
  const check = (...messages: object[]) => validateAnthropic({ model: 'm', max_tokens: 10, messages });

  it('accepts results in the next user message and a user message behind it', () => {
    assert.equal(check(user, asks('a', 'b'), answers('a', 'b'), user), undefined);
  });

  it('accepts text behind the results of one message', () => {
    assert.equal(check(user, asks('a'), { role: 'user', content: [result('a'), text('and use reduce')] }), undefined);
  });

  const refused: [string, RegExp, object[]][] = [
    ['a missing result', /without tool_result.*b/, [user, asks('a', 'b'), answers('a')]],
    ['results that come one message late', /without tool_result/, [user, asks('a'), user, answers('a')]],
    ['an orphan result', /no tool_use/, [user, answers('a')]],
    [
      'text before the results',
      /must come before/,
      [user, asks('a'), { role: 'user', content: [text('x'), result('a')] }],
    ],
    ['an id used twice', /unique/, [user, asks('a'), answers('a'), asks('a'), answers('a')]],
    ['a blank text block', /non-whitespace/, [{ role: 'user', content: [text(' \n')] }]],
    ['a blank message', /blank/, [{ role: 'user', content: '' }]],
    ['a message without blocks', /content/, [{ role: 'user', content: [] }]],
    ['a history that begins with the assistant', /first message/, [{ role: 'assistant', content: 'x' }, user]],
    ['a history that ends with the assistant', /end with a user/, [user, { role: 'assistant', content: 'x' }]],
    ['a system message in the history', /role/, [{ role: 'system', content: 'x' }, user]],
    ['an id with a dot', /id/, [user, asks('a.b'), answers('a.b')]],
    [
      'thinking without a signature',
      /signature/,
      [user, { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: '' }, text('x')] }, user],
    ],
    [
      'an assistant message that ends in thinking',
      /cannot be thinking/,
      [user, { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }, user],
    ],
    [
      'more than four cache marks',
      /maximum of 4/,
      [{ role: 'user', content: Array(5).fill({ ...text('x'), cache_control: { type: 'ephemeral' } }) }],
    ],
  ];
  for (const [what, why, messages] of refused) {
    it(`refuses ${what}`, () => assert.match(check(...messages) ?? 'accepted', why));
  }

  it('refuses a body without max_tokens', () => {
    assert.match(validateAnthropic({ model: 'm', messages: [user] }) ?? 'accepted', /max_tokens/);
  });
});

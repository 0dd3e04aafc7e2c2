import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ModelPart } from '../../../src/agent/model/types.ts';
import { ChatAssembler } from '../../../src/agent/model/wires/chat/assembler.ts';

const tool = (name: string, properties: object) => ({
  name,
  description: '',
  inputSchema: { type: 'object', properties },
});
const TOOLS = [
  tool('read_file', { path: { type: 'string' }, offset: { type: 'integer' } }),
  tool('list_files', { path: { type: 'string' } }),
];

/** What comes of an answer that is sent in these pieces. */
function answerOf(pieces: readonly string[], tools = TOOLS, native: readonly object[] = []) {
  const assembler = new ChatAssembler({ host: 'localhost:11434', keepsReasoning: false, writtenTools: tools });
  const parts: ModelPart[] = [];
  const send = (delta: object, finish_reason: string | null = null) => {
    const data = JSON.stringify({ id: 'r', choices: [{ index: 0, delta, finish_reason }] });
    parts.push(...assembler.push({ event: null, data }));
  };
  for (const content of pieces) send({ content });
  for (const call of native) send({ tool_calls: [call] });
  send({}, 'stop');
  parts.push(...assembler.push({ event: null, data: '[DONE]' }));
  const end = assembler.end();
  let [text, reasoning] = ['', ''];
  for (const part of parts) {
    if (part.type === 'restart') [text, reasoning] = ['', ''];
    if (part.type === 'text') text += part.text;
    if (part.type === 'reasoning') reasoning += part.text;
  }
  assert.ok(end.type === 'end');
  return { text: text.trim(), reasoning: reasoning.trim(), calls: end.calls.map(({ name, input }) => [name, input]) };
}

const READ = '{"name":"read_file","arguments":{"path":"a.ts"}}';
const CALL = ['read_file', { path: 'a.ts' }];

const CALLS: readonly (readonly [what: string, written: string, text: string, calls: readonly unknown[]])[] = [
  ['in tags', `<tool_call>\n${READ}\n</tool_call>`, '', [CALL]],
  ['in tags behind words', `I read it.\n<tool_call>${READ}</tool_call>`, 'I read it.', [CALL]],
  [
    'twice',
    `<tool_call>${READ}</tool_call>\n<tool_call>{"name":"list_files","parameters":{}}</tool_call>`,
    '',
    [CALL, ['list_files', {}]],
  ],
  ['in tags whose end was the stop', `Now:\n<tool_call>${READ}`, 'Now:', [CALL]],
  ['as a function with JSON', '<function=read_file>{"path":"a.ts"}</function>', '', [CALL]],
  [
    'as a function with parameters',
    '<function=read_file>\n<parameter=path>\n7\n</parameter>\n<parameter=offset>\n5\n</parameter>\n</function>',
    '',
    [['read_file', { path: '7', offset: 5 }]],
  ],
  [
    'as a function in tags',
    `<tool_call>\n<function=read_file><parameter=path>a.ts</parameter></function>\n</tool_call>`,
    '',
    [CALL],
  ],
  ['as bare JSON', READ, '', [CALL]],
  [
    'as bare JSON of OpenAI’s shape',
    `{"type":"function","function":{"name":"read_file","arguments":"{\\"path\\":\\"a.ts\\"}"}}`,
    '',
    [CALL],
  ],
  ['as a fenced block', `\`\`\`json\n${READ}\n\`\`\``, '', [CALL]],
  ['as a list', `[${READ}]`, '', [CALL]],
  ['behind a thought', `<think>I need it.</think>\n${READ}`, '', [CALL]],
  [
    'in Harmony',
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.ts"}<|call|>',
    '',
    [CALL],
  ],
];

const TEXTS: readonly (readonly [what: string, written: string, text?: string])[] = [
  ['a tool that was not offered', '<tool_call>{"name":"delete_all","arguments":{}}</tool_call>'],
  ['broken JSON', '<tool_call>{"name":"read_file","arguments":{</tool_call>'],
  ['a call that is quoted in an answer', `Models write this:\n\n\`\`\`json\n${READ}\n\`\`\`\n\nand it is a call.`],
  ['a call in the middle of a line', `They write <tool_call>${READ}</tool_call> here.`],
  ['tags in a block of code', `Like this:\n\`\`\`\n<tool_call>${READ}</tool_call>\n\`\`\`\nDone.`],
  ['JSON that is the answer', '{"name":"Ada","age":36}'],
  ['JSON with words behind it', `${READ}\nThat is how.`],
  ['a block of code that begins an answer', '```ts\nconst a = 1;\n```\nThat is it.'],
];

describe('calls that a model writes as text', () => {
  for (const [what, written, text, calls] of CALLS) {
    it(`G4a. run where they come ${what}`, () => {
      const answer = answerOf([written]);
      assert.deepEqual(answer.calls, calls);
      assert.equal(answer.text, text);
    });
  }

  for (const [what, written] of TEXTS) {
    it(`G4b. stay text where it is ${what}`, () => {
      assert.deepEqual(answerOf([written]), { text: written, reasoning: '', calls: [] });
    });
  }

  it('G4c. are the same wherever the stream is cut', () => {
    const all = [...CALLS.map(([, written]) => written), ...TEXTS.map(([, written]) => written)];
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.array(fc.nat(400), { maxLength: 8 }), (written, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < written.length).sort((a, b) => a - b), written.length];
        const pieces = at.slice(1).map((end, index) => written.slice(at[index], end));
        assert.deepEqual(answerOf(pieces), answerOf([written]));
      }),
      { numRuns: 1_000 },
    );
    for (const written of all) assert.deepEqual(answerOf([...written]), answerOf([written]), written);
  });

  it('G4d. do not count beside calls that the server took apart, nor where nothing is offered', () => {
    const native = { index: 0, id: 'c1', type: 'function', function: { name: 'list_files', arguments: '{}' } };
    assert.deepEqual(answerOf([READ], TOOLS, [native]).calls, [['list_files', {}]]);
    assert.deepEqual(answerOf([READ], []), { text: READ, reasoning: '', calls: [] });
  });

  it('G4e. a thought whose opening tag is missing is a thought', () => {
    assert.deepEqual(answerOf(['pl', 'an</thi', 'nk>\n\nHello']), { text: 'Hello', reasoning: 'plan', calls: [] });
  });

  it('G4f. the channels of Harmony are a thought and an answer', () => {
    const written =
      '<|channel|>analysis<|message|>I think.<|end|><|start|>assistant<|channel|>final<|message|>It is 5 < 6.<|return|>';
    assert.deepEqual(answerOf([...written]), { text: 'It is 5 < 6.', reasoning: 'I think.', calls: [] });
    assert.equal(answerOf(['<|nothing']).text, '<|nothing');
  });
});

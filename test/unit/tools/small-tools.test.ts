import assert from 'node:assert/strict';
import { PlainEditorPort } from '../../../src/agent/tools/index.ts';
import { HeadTailBuffer, RollingBuffer } from '../../../src/agent/tools/output-buffer.ts';
import { callWords } from '../../../src/words/call-words.ts';
import { Workspace } from './tool-context.ts';

describe('ask_user, todo and diagnostics', function () {
  this.timeout(15_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  it('case 81: a question has its choices and always free text', () => {
    const tool = workspace.registry.find('ask_user');
    const question = tool?.question?.(tool.input.parse({ question: 'Which?', choices: ['A', 'B'] }));
    assert.deepEqual(question, {
      text: 'Which?',
      choices: [
        { id: 'choice-1', label: 'A' },
        { id: 'choice-2', label: 'B' },
      ],
      multiple: false,
      freeText: true,
    });
  });

  it('answers come back in words: chosen, written, several, none', async () => {
    const ask = async (answer?: string | readonly string[]) => {
      const changes = answer === undefined ? {} : { answer };
      return (await workspace.run('ask_user', { question: 'Which?', choices: ['A', 'B'], multiple: true }, changes))
        .text;
    };
    assert.equal(await ask('choice-2'), 'The user answered: B');
    assert.equal(await ask('neither'), 'The user answered: neither');
    assert.equal(await ask(['choice-1', 'choice-2']), 'The user answered: A; B');
    assert.match(await ask(), /did not answer/);
  });

  it('case 78: a todo call without items reads the list and changes nothing', async () => {
    const items = [
      { id: '1', content: 'look', status: 'completed' },
      { id: '2', content: 'do', status: 'in_progress' },
    ];
    const written = await workspace.run('todo', { items });
    assert.equal(written.text, '[x] 1: look\n[>] 2: do');
    assert.equal(written.detail, '1 of 2 done');
    assert.equal((await workspace.run('todo', {})).text, written.text);
  });

  it('two items with one id are refused', async () => {
    const item = { id: '1', content: 'x', status: 'pending' };
    assert.equal((await workspace.run('todo', { items: [item, item] })).status, 'error');
    assert.equal((await workspace.run('todo', {})).text, 'The list is empty.');
  });

  it('case 116: diagnostics that nobody made are "not checked", never "no problems"', async () => {
    const result = await workspace.run('diagnostics', {});
    assert.match(result.text, /^Not checked: /);
    assert.equal(result.detail, 'not checked');
  });

  it('diagnostics are listed by place', async () => {
    class Checked extends PlainEditorPort {
      override async diagnostics() {
        const at = { path: `${workspace.folder}/a.ts`, line: 1, column: 2 };
        return { checked: true as const, diagnostics: [{ ...at, severity: 'warning' as const, message: 'unused' }] };
      }
    }
    const result = await workspace.run('diagnostics', { paths: ['a.ts'] }, { editor: new Checked() });
    assert.equal(result.text, 'a.ts:1:2 warning: unused');
  });

  it('the words of every call are made from valid input alone', () => {
    const inputs: Readonly<Record<string, unknown>> = {
      read_file: { path: 'src/a.ts', offset: 1, limit: 40 },
      patch: { path: 'src/a.ts', old_string: 'a', new_string: 'b' },
      write_file: { path: 'src/a.ts', content: '' },
      terminal: { command: 'npm test' },
      process: { action: 'list' },
      search_files: { pattern: 'x' },
      list_files: {},
      diagnostics: {},
      ask_user: { question: 'x?' },
      todo: {},
      delegate: { name: 'tests', task: 'Run them.' },
    };
    const labels = workspace.registry
      .list()
      .map((tool) => callWords(tool.subject(tool.input.parse(inputs[tool.name])), 'success'));
    assert.deepEqual(labels, [
      'Read src/a.ts 1–40',
      'Listed the workspace',
      'Searched for "x"',
      'Wrote src/a.ts',
      'Edited src/a.ts',
      'Ran npm test',
      'Listed the background processes',
      'Checked for problems',
      'Asked: x?',
      'Read the plan',
      'Delegated: tests',
    ]);
  });
});

describe('bounded output', () => {
  it('keeps everything that fits, in pieces of whatever size', () => {
    const buffer = new HeadTailBuffer(10);
    for (const piece of ['ab', 'cdefgh', 'ij']) buffer.append(piece);
    assert.equal(buffer.text(), 'abcdefghij');
  });

  it('counts what it leaves out', () => {
    const buffer = new HeadTailBuffer(10);
    for (let at = 0; at < 100; at++) buffer.append('0123456789');
    assert.equal(buffer.text(), '0123\n[… 990 characters left out …]\n456789');
  });

  it('a rolling one keeps the newest', () => {
    const buffer = new RollingBuffer(5);
    for (const piece of ['abc', 'defgh', 'ijklmnop']) buffer.append(piece);
    assert.equal(buffer.text(), 'lmnop');
    assert.equal(buffer.tail(2), 'op');
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BlockSplitter, codeOf, splitBlocks } from '../../../webview/markdown/blocks.ts';
import { renderBlock } from '../../../webview/markdown/render.ts';
import { beginnings, cuts, documents } from './documents.ts';

const sample = `# Title
Some text
over two lines.

- one
- two

  still two
- three

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`
After the code.

1. first
   \`\`\`sh
   npm test

   npm run lint
   \`\`\`
2. second

    indented under nothing

> quote

| a | b |
|---|--:|
| 1 | 2 |

Last`;

describe('blocks of streamed markdown', () => {
  it('are the same whether the text came at once or letter by letter', () => {
    const splitter = new BlockSplitter();
    const streamed = [];
    for (let length = 1; length <= sample.length; length++) streamed.push(...splitter.push(sample.slice(0, length)));
    const { kind, text } = splitter.tail();
    assert.deepEqual([...streamed, { kind, text }], splitBlocks(sample));
  });

  it('make up the whole text, nothing lost and nothing twice', () => {
    const text = splitBlocks(sample)
      .map((block) => block.text)
      .join('');
    assert.equal(text, sample);
  });

  it('render alone to what the whole text renders to', () => {
    const whole = renderBlock(sample, {});
    const pieces = splitBlocks(sample).map((block) => renderBlock(block.text, {}));
    assert.equal(pieces.join(''), whole);
  });

  it('render alone to what the whole text renders to, whatever it is', () => {
    const property = fc.property(documents, (raw) => {
      const text = raw.replace(/\r\n?/g, '\n');
      const environment = {};
      const pieces = splitBlocks(text).map((block) => renderBlock(block.text, environment));
      assert.equal(pieces.join(''), renderBlock(text, {}));
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  it('are the same wherever the stream was cut', () => {
    const property = fc.property(documents, cuts, (raw, at) => {
      const text = raw.replace(/\r\n?/g, '\n');
      const splitter = new BlockSplitter();
      const streamed = beginnings(text, at).flatMap((beginning) => splitter.push(beginning));
      const { kind, text: rest } = splitter.tail();
      const all = rest.trim() === '' ? streamed : [...streamed, { kind, text: rest }];
      assert.deepEqual(all, splitBlocks(text));
      assert.ok(text.startsWith(all.map((block) => block.text).join('')));
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  it('keep code with blank lines together and apart from the text around it', () => {
    const kinds = splitBlocks('before\n```js\na\n\nb\n```\nafter').map((block) => [block.kind, block.text]);
    assert.deepEqual(kinds, [
      ['prose', 'before\n'],
      ['code', '```js\na\n\nb\n```\n'],
      ['prose', 'after'],
    ]);
  });

  it('do not end code at a fence that is shorter or of another kind', () => {
    const text = '````md\n```js\n~~~\n```\n````\n';
    assert.deepEqual(splitBlocks(text), [{ kind: 'code', text }]);
  });

  it('leave inline code of three backticks in its paragraph', () => {
    assert.equal(splitBlocks('```not a fence``` here\n\nmore')[0]?.kind, 'prose');
  });

  it('cut a list that grows long at an item, so that the tail stays small', () => {
    const list = Array.from({ length: 400 }, (_, index) => `- item ${index} with some words`).join('\n');
    const splitter = new BlockSplitter();
    splitter.push(list);
    assert.ok(splitter.tail().text.length < 4_200, `${splitter.tail().text.length} characters`);
    assert.match(splitter.tail().text, /^- item \d+/);
  });

  it('cost no more a letter at the end of a long text than at its beginning', () => {
    const splitter = new BlockSplitter();
    const paragraph = 'Words and more words.\n\n';
    const text = paragraph.repeat(5_000);
    let seen = 0;
    for (let length = paragraph.length; length <= text.length; length += paragraph.length) {
      seen += splitter.push(text.slice(0, length)).length;
      assert.ok(splitter.tail().text.length <= paragraph.length);
    }
    assert.equal(seen, 4_999);
  });
});

describe('a code block', () => {
  for (const before of [
    '',
    '\n',
    '# Heading\n\n',
    '```\nfirst\n```\n\n',
    '~~~js\nfirst\n~~~\n \n\n',
    '***\n\n',
    '- a\n\n',
  ]) {
    it(`has no fences in its content after ${JSON.stringify(before)}`, () => {
      const last = splitBlocks(`${before}\`\`\`ts\nlet a;\n\`\`\`\n\nAfter.\n`).findLast(({ kind }) => kind === 'code');
      assert.deepEqual(codeOf(last?.text ?? ''), { language: 'ts', code: 'let a;' });
    });
  }

  it('gives its language and its code, closed or still open', () => {
    assert.deepEqual(codeOf('```ts\nlet a;\n```\n'), { language: 'ts', code: 'let a;' });
    assert.deepEqual(codeOf('```ts\nlet a;\nlet b'), { language: 'ts', code: 'let a;\nlet b' });
    assert.deepEqual(codeOf('```types'), { language: 'types', code: '' });
    assert.deepEqual(codeOf('~~~\n```\n~~~'), { language: '', code: '```' });
  });
});

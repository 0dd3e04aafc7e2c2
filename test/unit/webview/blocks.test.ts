import assert from 'node:assert/strict';
import { BlockSplitter, codeOf, splitBlocks } from '../../../webview/markdown/blocks.ts';
import { renderBlock } from '../../../webview/markdown/render.ts';

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
  it('gives its language and its code, closed or still open', () => {
    assert.deepEqual(codeOf('```ts\nlet a;\n```\n'), { language: 'ts', code: 'let a;' });
    assert.deepEqual(codeOf('```ts\nlet a;\nlet b'), { language: 'ts', code: 'let a;\nlet b' });
    assert.deepEqual(codeOf('```types'), { language: 'types', code: '' });
    assert.deepEqual(codeOf('~~~\n```\n~~~'), { language: '', code: '```' });
  });
});

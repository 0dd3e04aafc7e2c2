import assert from 'node:assert/strict';
import { heal } from '../../../webview/markdown/heal.ts';
import { longParagraph, safeCut } from '../../../webview/markdown/inline-cut.ts';
import { linkTarget } from '../../../webview/markdown/links.ts';
import { renderBlock, renderInline } from '../../../webview/markdown/render.ts';

const render = (text: string) => renderBlock(text, {});

describe('markdown from a model', () => {
  it('never becomes raw HTML', () => {
    assert.match(render('<img src=x onerror=alert(1)>'), /^<p>&lt;img/);
    assert.doesNotMatch(render('a <script>b</script>'), /<script/);
  });

  it('aligns table cells by class, because the policy of the page blocks style attributes', () => {
    const html = render('| a | b |\n|:--|--:|\n| 1 | 2 |');
    assert.match(html, /<td class="align-right">2<\/td>/);
    assert.doesNotMatch(html, /style=/);
  });

  it('fetches no image but names and links it', () => {
    const html = render('![a plan](https://example.com/plan.png)');
    assert.doesNotMatch(html, /<img/);
    assert.match(html, /<a href="https:\/\/example.com\/plan.png"[^>]*>a plan<\/a>/);
  });

  it('shows the host that a link leads to beside words that say something else', () => {
    assert.match(
      render('[your bank](https://evil.example/login)'),
      /your bank<\/a> <span class="link-host">evil\.example/,
    );
    assert.doesNotMatch(render('https://example.com/a'), /link-host/);
  });

  it('leaves file names with a dot as text', () => {
    assert.doesNotMatch(render('see index.ts and main.rs'), /<a/);
  });
});

describe('a link', () => {
  it('leads to the web, a mail address or a file', () => {
    assert.deepEqual(linkTarget('https://example.com/a'), {
      to: 'web',
      href: 'https://example.com/a',
      host: 'example.com',
    });
    assert.deepEqual(linkTarget('mailto:a@example.com'), { to: 'mail', href: 'mailto:a@example.com' });
    assert.deepEqual(linkTarget('src/a.ts'), { to: 'file', path: 'src/a.ts' });
    assert.deepEqual(linkTarget('src/a.ts:12'), { to: 'file', path: 'src/a.ts', line: 12 });
    assert.deepEqual(linkTarget('src/my%20file.ts#L3-L9'), { to: 'file', path: 'src/my file.ts', line: 3 });
    assert.deepEqual(linkTarget('a.ts:7:2'), { to: 'file', path: 'a.ts', line: 7 });
  });

  it('leads nowhere else', () => {
    const refused = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'command:workbench.action.quit',
      'vscode://file/etc/passwd',
      'file:///etc/passwd',
      '//evil.example/a',
      '\\\\server\\share',
      'https://user:secret@example.com',
      'java\nscript:alert(1)',
      '#here',
      '',
    ];
    for (const href of refused) assert.equal(linkTarget(href), undefined, href);
  });
});

describe('a paragraph that grows', () => {
  const words = 'plain words and more '.repeat(100);

  it('is cut only when it is long, just after a space', () => {
    assert.equal(safeCut(words.slice(0, longParagraph - 1)), 0);
    const cut = safeCut(words);
    assert.ok(cut > 0 && cut < words.length);
    assert.match(words.slice(0, cut), /\s$/);
  });

  it('is never cut inside emphasis, code or a link', () => {
    for (const [open, close] of [
      ['**', '**'],
      ['`', '`'],
      ['[', '](https://example.com)'],
      ['_', '_'],
    ]) {
      const text = `Start. ${open}${words}${close} end. `;
      const cut = safeCut(text);
      assert.ok(cut <= 'Start. '.length, `${open} was cut at ${cut}`);
    }
  });

  it('renders in pieces to what it renders to as one', () => {
    const text = Array.from(
      { length: 120 },
      (_, n) => `Word **bold ${n}** and \`code ${n}\`, *it* [a](b.ts) snake_case 2 * 3.`,
    ).join(' ');
    let rest = text;
    let html = '';
    for (let cut = safeCut(rest); cut > 0; cut = safeCut(rest, true)) {
      const piece = rest.slice(0, cut);
      html += `${renderInline(piece.trim(), {})} `;
      rest = rest.slice(cut);
    }
    assert.equal(html + renderInline(rest, {}), renderInline(text, {}));
  });

  it('is not cut when it is a list, a quote or a table', () => {
    for (const mark of ['- ', '> ', '1. ', '| ']) assert.equal(safeCut(mark + words), 0);
  });
});

describe('healing the last line', () => {
  it('closes what is open, so that no half mark flashes up', () => {
    assert.equal(heal('some **bold'), 'some **bold**');
    assert.equal(heal('some `code'), 'some `code`');
    assert.equal(heal('see [the docs](https://exa'), 'see the docs');
    assert.equal(heal('a **'), 'a ');
  });

  it('changes nothing that is whole', () => {
    for (const text of ['plain', '**bold** done', '`code` done', '[a](b) done', 'first `open\n\nsecond']) {
      assert.equal(heal(text), text);
    }
  });
});

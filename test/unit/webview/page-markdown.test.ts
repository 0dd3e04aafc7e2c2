/** Streamed markdown as it is drawn: the DOM after a stream that was cut anywhere is the DOM of the whole text. */

import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { Stage } from '../../../webview/dev/stage.ts';
import { beginnings, cuts, documents } from './documents.ts';

/** Drawn in one visit to the browser. */
const documentsAtOnce = 1_500;

type Drawing = (steps: readonly string[]) => Drawn;

interface Drawn {
  readonly html: string;
  /** Language and text of each block of code: as they are drawn, and as the renderer has them when it is given all at once. */
  readonly code: readonly string[];
  readonly rendered: readonly string[];
}

describe('markdown that is drawn while it is streamed', function () {
  this.timeout(240_000);
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await Stage.open();
    ({ page } = await stage.chat());
    await page.evaluate(await drawingScript());
  });
  after(() => stage.close());

  const draw = (streams: readonly (readonly string[])[]): Promise<readonly Drawn[]> =>
    page.evaluate((all) => all.map((globalThis as unknown as { draw: Drawing }).draw), streams);

  it('ends as the same page wherever the stream was cut', async () => {
    const streams = fc.sample(fc.tuple(documents, cuts), { numRuns: documentsAtOnce, seed: 20_260_501 });
    const cut = await draw(streams.map(([text, at]) => beginnings(text, at)));
    const whole = await draw(streams.map(([text]) => [text]));
    for (const [index, [text]] of streams.entries()) {
      assert.equal(cut[index]?.html, whole[index]?.html, JSON.stringify(text));
      assert.deepEqual(cut[index]?.code, cut[index]?.rendered, JSON.stringify(text));
    }
  });

  it('draws no fence of a block as its code, whatever stands before it', async () => {
    const before = [
      '',
      '# Heading\n\n',
      '```\na\n```\n\n',
      '~~~\na\n~~~\n\n\n',
      '- a\n\n',
      '> a\n\n',
      '| a |\n|---|\n\n',
      '***\n\n',
    ];
    const texts = before.flatMap((text) =>
      ['```ts\nlet b;\n```', '~~~ts\nlet b;\n~~~\n\nAfter.'].map((code) => text + code),
    );
    for (const { html } of await draw(texts.map((text) => [text]))) {
      assert.match(html, /let<\/span> b;<\/code>/);
      assert.doesNotMatch(html, /```|~~~/);
    }
  });
});

/** Makes `draw`, which draws a stream by its beginnings and returns the HTML; a wrapper without a class is no difference. */
async function drawingScript(): Promise<string> {
  const built = await esbuild.build({
    stdin: {
      contents: `
        import { languageOf, renderBlock } from './webview/markdown/render.ts';
        import { StreamingMarkdown } from './webview/markdown/streaming-markdown.ts';
        globalThis.draw = (steps) => {
          const root = document.createElement('div');
          const markdown = new StreamingMarkdown(root);
          for (const step of steps) markdown.update(step, false);
          markdown.update(steps.at(-1), true);
          markdown.dispose();
          for (const span of root.querySelectorAll('span:not([class])')) span.replaceWith(...span.childNodes);
          root.normalize();
          const code = [...root.querySelectorAll('.code-block')].map(
            (block) => block.querySelector('.code-language').textContent + ': ' + block.querySelector('code').textContent);
          const all = document.createElement('div');
          all.innerHTML = renderBlock(steps.at(-1), {});
          const rendered = [...all.querySelectorAll('pre code')].map(
            (one) => languageOf(one.className.replace('language-', '')) + ': ' + one.textContent.replace(/\\n$/, ''));
          return { html: root.innerHTML, code, rendered };
        };`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'chrome132',
    logLevel: 'error',
  });
  return built.outputFiles[0]?.text ?? '';
}

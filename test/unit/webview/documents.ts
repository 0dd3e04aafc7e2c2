import fc from 'fast-check';

/** Markdown documents such as models write them, and such as they never should: for properties over all of them. */
export const documents: fc.Arbitrary<string> = fc.array(fc.tuple(blocks(2), gaps()), { maxLength: 9 }).map(joined);

/** Where a document is cut while it is streamed, as shares of its length. */
export const cuts: fc.Arbitrary<readonly number[]> = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
  .map((shares) => [...shares].sort((a, b) => a - b));

/** The beginnings of `text` that a stream cut there shows, ending with the whole. */
export function beginnings(text: string, at: readonly number[]): readonly string[] {
  return [...at.map((share) => text.slice(0, Math.round(share * text.length))), text];
}

function blocks(depth: number): fc.Arbitrary<string> {
  const flat = [headings(), paragraphs(), fences(), htmlLike(), tables(), oddLines()];
  return depth === 0
    ? fc.oneof(...flat)
    : fc.oneof({ depthSize: 'small' }, ...flat, lists(depth), quotes(depth), indented());
}

function gaps(): fc.Arbitrary<string> {
  return fc.constantFrom('\n', '\n\n', '\n\n', '\n\n\n', '\n \n', '\n\t\n', '\r\n', '\r\n\r\n');
}

function joined(parts: readonly (readonly [string, string])[]): string {
  return parts.map(([block, gap]) => block + gap).join('');
}

function words(): fc.Arbitrary<string> {
  const one = fc.constantFrom(
    'word',
    '`code`',
    '**bold**',
    '*it*',
    '[a](b.ts)',
    '```x```',
    '~~no~~',
    '1.',
    '-',
    '#',
    '|',
  );
  return fc.array(one, { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));
}

function headings(): fc.Arbitrary<string> {
  const hashes = fc.tuple(fc.constantFrom('', ' ', '   '), fc.constantFrom('#', '##', '######'), words());
  return fc.oneof(
    hashes.map(([indent, mark, text]) => `${indent}${mark} ${text}`),
    fc.tuple(words(), fc.constantFrom('===', '---')).map(([text, line]) => `${text}\n${line}`),
    fc.constantFrom('#', '## '),
  );
}

function paragraphs(): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom('', '', ' ', '    '), words()), { minLength: 1, maxLength: 4 })
    .map((lines) =>
      // A first line with four spaces would be code; that is another generator's.
      lines.map(([indent, text], at) => (at === 0 ? '' : indent) + text).join('\n'),
    );
}

function fences(): fc.Arbitrary<string> {
  const line = fc.constantFrom(
    'let a = 1;',
    '',
    '  b',
    '# no heading',
    '- no item',
    '```',
    '~~~',
    '    ```',
    '> x',
    '<b>',
  );
  return fc
    .record({
      indent: fc.constantFrom('', '', '', ' ', '  '),
      mark: fc.constantFrom('```', '~~~', '````', '~~~~~'),
      info: fc.constantFrom('', 'ts', ' sh', 'js {1,3}', 'ts title="a"', 'c++', 'a\\*b'),
      lines: fc.array(line, { maxLength: 6 }),
      end: fc.constantFrom('same', 'same', 'same', 'longer', 'never'),
    })
    .map(({ indent, mark, info, lines, end }) => {
      const content = lines.filter((text) => !text.trim().startsWith(mark));
      const last = end === 'never' ? [] : [indent + mark + (end === 'longer' ? mark.charAt(0) : '')];
      return [indent + mark + info, ...content.map((text) => indent + text), ...last].join('\n');
    });
}

function htmlLike(): fc.Arbitrary<string> {
  return fc.constantFrom(
    '<div>',
    '<script>\n\nx\n\n</script>',
    '<!-- a\n\nb -->',
    '<pre>\n```\n</pre>',
    '<br> text',
    '</p>',
  );
}

function tables(): fc.Arbitrary<string> {
  const rows = fc.array(fc.constantFrom('| 1 | 2 |', '1 | 2', '| `a|b` | c |'), { maxLength: 3 });
  return fc
    .tuple(fc.constantFrom('', 'Before\n'), fc.constantFrom('|---|--:|', '--- | :-:', '|---|'), rows)
    .map(([before, line, all]) => [`${before}| a | b |`, line, ...all].join('\n'));
}

function oddLines(): fc.Arbitrary<string> {
  return fc.constantFrom(
    '***',
    '---',
    '- - -',
    '```',
    '~~~',
    '   ',
    '`````` x',
    '***bold',
    '> ',
    '-',
    '1.',
    '|',
    '\\',
    '&lt;',
  );
}

function indented(): fc.Arbitrary<string> {
  return fc.constantFrom('    code', '    code\n\n    more', '\tcode', '    ```\n    x\n    ```');
}

function lists(depth: number): fc.Arbitrary<string> {
  const item = fc.tuple(fc.array(blocks(depth - 1), { minLength: 1, maxLength: 2 }), fc.constantFrom('\n', '\n\n'));
  const mark = fc.constantFrom('- ', '* ', '1. ', '10) ', ' - ');
  return fc
    .tuple(mark, fc.array(item, { minLength: 1, maxLength: 3 }))
    .map(([bullet, items]) =>
      items.map(([content, gap]) => nested(content.join(gap), bullet, ' '.repeat(bullet.length))).join('\n'),
    );
}

function quotes(depth: number): fc.Arbitrary<string> {
  return blocks(depth - 1).map((content) => nested(content, '> ', '> '));
}

function nested(content: string, first: string, others: string): string {
  return content
    .split('\n')
    .map((line, at) => (at === 0 ? first : line === '' ? others.trimEnd() : others) + line)
    .join('\n');
}

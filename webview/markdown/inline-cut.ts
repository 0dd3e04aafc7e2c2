/**
 * A paragraph that grows for long is drawn in pieces, so that a new word costs the same whether it is the tenth or the
 * ten-thousandth. A piece may end only where no emphasis, code, link or escape is open.
 */

/** Characters below which a paragraph is simply drawn anew. */
export const longParagraph = 1_200;
/** Characters at the end that are never cut: what comes next may still change how they read. */
const unsettled = 200;

/**
 * Where the first piece of `paragraph` may end (just after a space or line break), or 0 when nowhere yet.
 * `goesOn` says that pieces of it were cut before.
 */
export function safeCut(paragraph: string, goesOn = false): number {
  if (paragraph.length < longParagraph || !isPlainParagraph(paragraph, goesOn)) return 0;
  const limit = paragraph.length - unsettled;
  let cut = 0;
  let code = 0;
  let brackets = 0;
  let parentheses = 0;
  const emphasis = new Map<string, number>();
  for (let at = 0; at < limit; at++) {
    const character = paragraph.charAt(at);
    switch (character) {
      case '\\':
        at++;
        break;
      case '`': {
        const run = runLength(paragraph, at);
        if (code === 0) code = run;
        else if (code === run) code = 0;
        at += run - 1;
        break;
      }
      case '[':
      case ']':
        if (code === 0) brackets = Math.max(0, brackets + (character === '[' ? 1 : -1));
        break;
      case '(':
      case ')':
        if (code === 0) parentheses = Math.max(0, parentheses + (character === '(' ? 1 : -1));
        break;
      case '*':
      case '_':
      case '~':
        if (code === 0) {
          const run = runLength(paragraph, at);
          const open = emphasis.get(character) ?? 0;
          const left = open > 0 ? Math.max(0, open - run) : run;
          if (left > 0) emphasis.set(character, left);
          else emphasis.delete(character);
          at += run - 1;
        }
        break;
      case ' ':
      case '\n': {
        const closed = code === 0 && brackets === 0 && parentheses === 0 && emphasis.size === 0;
        // Two spaces before a line break are a hard break; a cut between them would lose it.
        const next = paragraph.charAt(at + 1);
        if (closed && next !== ' ' && next !== '\n') cut = at + 1;
        break;
      }
    }
  }
  return cut;
}

/** Lists, quotes, tables and headings are drawn whole: their lines mean something together. */
function isPlainParagraph(text: string, goesOn: boolean): boolean {
  return (
    (goesOn || !/^\s*(?:[-+>#|]|\*\s|\d{1,9}[.)]\s)/.test(text)) &&
    !/\n\s*(?:[-+>#|=]|\*\s|\d{1,9}[.)]\s|:?-{3,})/.test(text)
  );
}

function runLength(text: string, at: number): number {
  const mark = text.charAt(at);
  let end = at;
  while (text.charAt(end) === mark) end++;
  return end - at;
}

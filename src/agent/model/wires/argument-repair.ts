/**
 * Mends what models write wrong in JSON that they did finish. What is not finished stays so: nothing here closes an
 * open string, or a bracket that the text ends inside, so that a call that was cut never becomes one that can run.
 */

const MAX_EXCESS = 50;

/** JSON that may parse, or undefined where the text ends inside a value or is no JSON of any kind. */
export function repairJson(text: string): string | undefined {
  const balanced = balance(escapeControls(text.trim()));
  return balanced === undefined ? undefined : dropTrailingCommas(balanced);
}

/** Raw line breaks and the like inside strings, which JSON wants escaped. */
function escapeControls(text: string): string {
  return outsideAndInside(
    text,
    (outside) => outside,
    (inside) => inside.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

function dropTrailingCommas(text: string): string {
  return outsideAndInside(
    text,
    (outside) => outside.replace(/,(\s*[}\]])/g, '$1'),
    (inside) => inside,
  );
}

/**
 * Puts a closer that was forgotten in front of the outer one that came, and drops up to 50 closers too many at the end.
 * Undefined when the text ends inside a value, or goes on behind it.
 */
function balance(text: string): string | undefined {
  const open: ('}' | ']')[] = [];
  let inString = false;
  let written = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (inString) {
      if (character === '\\') {
        written += character + (text[++at] ?? '');
        continue;
      }
      if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']') {
      if (!open.includes(character)) return undefined;
      while (open.at(-1) !== character) written += open.pop();
      open.pop();
      if (open.length === 0) {
        const behind = text.slice(at + 1).replaceAll(/[\s}\]]/g, '');
        const excess = text.slice(at + 1).replaceAll(/\s/g, '').length;
        return behind === '' && excess <= MAX_EXCESS ? written + character : undefined;
      }
    }
    written += character;
  }
  return undefined;
}

/** Rewrites what stands outside of strings and what stands inside of them. */
function outsideAndInside(text: string, outside: (part: string) => string, inside: (part: string) => string): string {
  return text.replace(/"((?:[^"\\]|\\[\s\S])*)("?)|[^"]+/g, (part, string: string | undefined, end: string) =>
    string === undefined ? outside(part) : `"${inside(string)}${end}`,
  );
}

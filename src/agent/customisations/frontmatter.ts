/** The YAML between two lines of `---` at the top of a Markdown file, and what follows it. */

import { breathe } from '../kernel/slices.ts';
import { AT_ONCE, readOffThread, yamlLimits } from '../reading/index.ts';

export type Frontmatter =
  | { readonly ok: true; readonly fields: Readonly<Record<string, unknown>>; readonly body: string }
  | { readonly ok: false; readonly why: string };

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/m;

/** A file without frontmatter has no fields and is all body. */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  const opening = OPENING.exec(text);
  if (!opening) return { ok: true, fields: {}, body: text.replace(/^\uFEFF/, '').trim() };
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (!closing) return { ok: false, why: 'its frontmatter has no closing line of ---.' };
  const yaml = rest.slice(0, closing.index);
  let fields: unknown;
  try {
    fields = await parsed(yaml);
  } catch (error) {
    try {
      fields = await parsed(withQuotes(yaml));
    } catch {
      return { ok: false, why: `its frontmatter is not YAML: ${firstLine(error)}` };
    }
  }
  const body = rest.slice(closing.index + closing[0].length).trim();
  if (fields === null || fields === undefined) return { ok: true, fields: {}, body };
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    return { ok: false, why: 'its frontmatter is not a list of names and values.' };
  }
  return { ok: true, fields: fields as Readonly<Record<string, unknown>>, body };
}

/**
 * Values on one line in quotes, where they hold a colon and none: `description: Use when: …` is no YAML, and other programs
 * read it all the same.
 */
function withQuotes(yaml: string): string {
  return yaml.replace(
    /^([A-Za-z][\w-]*:[ \t]+)([^\s'"[\]{}|>&*!%@`#][^\r\n]*:[^\r\n]*)$/gm,
    (_, key: string, value: string) => key + JSON.stringify(value.trimEnd()),
  );
}

/** In the thread for reading: a parser of YAML is slow, and takes long to load. */
async function parsed(yaml: string): Promise<unknown> {
  const read = await readOffThread({ is: 'yaml', text: yaml });
  await breathe();
  if ('why' in read) {
    // Where no thread can be had, what people write is still read.
    if (read.why !== 'failed' || yaml.length > AT_ONCE) throw new Error(read.words);
    const { parse } = await import('./yaml.ts');
    return parse(yaml, yamlLimits);
  }
  if (!read.yaml || 'problem' in read.yaml) throw new Error(read.yaml?.problem);
  return read.yaml.value;
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}

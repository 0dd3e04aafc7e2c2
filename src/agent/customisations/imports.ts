import { dirname, isAbsolute, resolve } from 'node:path';

/** Files that import files that import …: how far that is followed. */
export const IMPORT_DEPTH = 5;

export interface Import {
  /** As it is written, without the `@`. */
  readonly written: string;
  /** Absolute; undefined for the home folder, which nothing of a workspace leads to. */
  readonly path: string | undefined;
  /** False for what may as well be a person or a package. */
  readonly isSurely: boolean;
}

const CODE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`/g;
const MENTION = /(?<=^|\s)@([^\s@]+)/gm;

/** The `@path` mentions of a CLAUDE.md outside of code, each once. Relative ones start where the file lies. */
export function importsOf(text: string, file: string): readonly Import[] {
  const prose = text.replace(CODE, (code) => ' '.repeat(code.length));
  const found = [...prose.matchAll(MENTION)].map(([, written = '']) =>
    written.replace(/(?<![.,;:!?)\]}'"])[.,;:!?)\]}'"]+$/, ''),
  );
  return [...new Set(found)].flatMap((written): readonly Import[] => {
    if (written === '') return [];
    const isSurely = /^(\.{1,2}\/|\/|~\/)|\.(md|mdx|txt|json|ya?ml|toml)$/i.test(written);
    if (written.startsWith('~')) return [{ written, path: undefined, isSurely }];
    return [{ written, path: isAbsolute(written) ? written : resolve(dirname(file), written), isSurely }];
  });
}

/** The text without lines that only import what was found: its words follow as a part of their own. */
export function withoutImportLines(text: string, found: ReadonlySet<string>): string {
  if (found.size === 0) return text.trim();
  const isImport = (line: string) => {
    if (!line.includes('@')) return false;
    const [, written] = /^\s*(?:[-*]\s+)?@(\S+)\s*$/.exec(line) ?? [];
    return written !== undefined && found.has(written);
  };
  return text
    .split('\n')
    .filter((line) => !isImport(line))
    .join('\n')
    .trim();
}

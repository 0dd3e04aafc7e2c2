/** What the editor's settings and `.editorconfig` say of a file; the latter counts more, as with its extension. */

import { editorConfig } from './editor-config.ts';
import { type Encoding, LATIN1, type NamedEncoding } from './text-encoding.ts';
import type { FileRules, ToolContext } from './types.ts';

export interface RulesOfFile {
  /** Of a file without byte-order mark; undefined for UTF-8. */
  readonly encoding: NamedEncoding | undefined;
  readonly encodingOfNew: Encoding;
  readonly lineEnd: '\n' | '\r\n';
  readonly readOnly: string | undefined;
}

/** @param path absolute, of a file that may be new */
export async function rulesOf(path: string, { editor, folders }: ToolContext): Promise<RulesOfFile> {
  const ofEditor: FileRules = (await editor.fileRules?.(path)) ?? {};
  const { charset, lineEnd } = await editorConfig(path, folders);
  const encoding = charset === 'latin1' ? LATIN1 : charset?.startsWith('utf-') ? undefined : ofEditor.encoding;
  return {
    encoding,
    encodingOfNew: BY_CHARSET[charset ?? ''] ?? encoding ?? ofEditor.mark ?? 'utf8',
    lineEnd: lineEnd ?? ofEditor.lineEnd ?? '\n',
    readOnly: ofEditor.readOnly,
  };
}

const BY_CHARSET: Readonly<Record<string, Encoding>> = {
  'utf-8': 'utf8',
  'utf-8-bom': 'utf8-bom',
  'utf-16le': 'utf16le',
  'utf-16be': 'utf16be',
};

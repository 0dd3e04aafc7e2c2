/** Characters in a command that a person does not see, or sees as others. */

import type { TextRange } from '../../api.ts';
import { visibleParts } from '../../words/visible-text.ts';

/** Characters of a text that are looked at, and places that are named. */
const LONGEST = 8_000;
const MOST = 200;

/** Where they stand: what the card shows as marks. */
export function hiddenCharacters(text: string): readonly TextRange[] {
  const { parts } = visibleParts(text.slice(0, LONGEST));
  return parts
    .filter(({ kind }) => kind === 'mark')
    .slice(0, MOST)
    .map(({ start, end }) => ({ start, end }));
}

/** One spelling for what looks or reads the same: compatibility forms, invisible characters, colour codes. */
export function plainForm(command: string): string {
  return (
    command
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes are the subject
      .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
  );
}

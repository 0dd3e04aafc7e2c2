/** Texts sent before, for Up in an empty composer. */

export interface InputHistory {
  readonly texts: readonly string[];
  /** Index into `texts` while browsing; `texts.length` means the user's own draft. */
  readonly at: number;
}

const kept = 100;

export const noHistory: InputHistory = { texts: [], at: 0 };

export function remember(history: InputHistory, text: string): InputHistory {
  const texts = [...history.texts.filter((known) => known !== text), text].slice(-kept);
  return { texts, at: texts.length };
}

/** From an empty composer backwards, then on while what it shows is untouched. Undefined: the key is the textarea's. */
export function browse(
  history: InputHistory,
  direction: 'older' | 'newer',
  composer: string,
): { readonly history: InputHistory; readonly text: string } | undefined {
  const browsing = history.at < history.texts.length && history.texts[history.at] === composer;
  if (!browsing && (composer !== '' || direction === 'newer')) return undefined;
  const from = browsing ? history.at : history.texts.length;
  const at = direction === 'older' ? from - 1 : from + 1;
  if (at < 0) return undefined;
  return { history: { ...history, at }, text: history.texts[at] ?? '' };
}

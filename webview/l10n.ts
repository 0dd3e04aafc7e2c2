import { stringsElementId } from '../src/protocol/page.ts';
import { visibleText } from '../src/words/visible-text.ts';

type Strings = Readonly<Record<string, string>>;

let strings: Strings = {};

/** The sentence in the user's language, with `{0}`, `{1}` … replaced by values that may be of others: made visible. English is the key, so a miss reads well. */
export function t(english: string, ...values: readonly (string | number)[]): string {
  const sentence = strings[english] ?? english;
  return values.length === 0
    ? sentence
    : sentence.replace(/\{(\d+)\}/g, (whole, index: string) => {
        const value = values[Number(index)];
        return value === undefined ? whole : visibleText(String(value));
      });
}

/** Like `t` with the number as `{0}`; languages choose between both forms by translating both. */
export function plural(count: number, one: string, many: string, ...values: readonly (string | number)[]): string {
  return t(count === 1 ? one : many, count, ...values);
}

/** Reads the table that the host put into the page. Without one the chat speaks English. */
export function loadStrings(page: Document): void {
  const source = page.getElementById(stringsElementId)?.textContent;
  if (!source) return;
  const table: unknown = JSON.parse(source);
  if (typeof table !== 'object' || table === null) return;
  strings = Object.fromEntries(
    Object.entries(table).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

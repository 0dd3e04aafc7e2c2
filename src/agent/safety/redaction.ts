/**
 * Masks secrets in texts that leave the agent: logs, exports, webhooks, what is told of failures. What runs or is written
 * is never changed by it, and code that a person has to judge is not shown through it.
 */

import { privateKeysIn, type Range, tokensIn } from './secret-formats.ts';
import { isSecretName, namedSecretsIn } from './secret-names.ts';
import { secretsInUse } from './secrets-in-use.ts';

/**
 * A token of fewer than 18 characters is hidden; of longer ones the first 6 and last 4 characters stay. A token that is
 * split by colour codes or by characters that nobody sees is found all the same. Takes time in proportion to the text.
 */
export function maskSecrets(text: string): string {
  if (text.search(SPLITS_ALL) < 0) return masked(text, rangesIn(text));
  const { plain, places } = joined(text);
  const ranges = rangesIn(plain).map(({ from, to }) => ({ from: places[from] ?? 0, to: (places[to - 1] ?? 0) + 1 }));
  return masked(text, ranges);
}

/** The same for every text in a value, and for the texts of fields whose name is that of a secret. Makes it anew. */
export function maskDeep(value: unknown): unknown {
  return maskField(value, false);
}

function maskField(value: unknown, isSecret: boolean): unknown {
  if (typeof value === 'string')
    return isSecret && value.length >= 4 && !MASKED.test(value) ? mask(value) : maskSecrets(value);
  if (Array.isArray(value)) return value.map((one) => maskField(one, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return maskField(value.toJSON(), isSecret);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [maskSecrets(name), maskField(one, isSecretName(name))]),
  );
}

const MASKED = /^\$|•••/;

function rangesIn(text: string): readonly Range[] {
  return [...valuesInUse(text), ...privateKeysIn(text), ...tokensIn(text), ...namedSecretsIn(text)];
}

function valuesInUse(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const value of secretsInUse.forms()) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      found.push({ from: at, to: at + value.length });
    }
  }
  return found;
}

/** Ranges that touch are one. */
function masked(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  let open: Range | undefined;
  const close = () => {
    if (!open) return;
    parts.push(text.slice(at, open.from), mask(text.slice(open.from, open.to)));
    at = open.to;
  };
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    if (open && range.from < open.to) open = { from: open.from, to: Math.max(open.to, range.to) };
    else {
      close();
      open = range;
    }
  }
  close();
  return parts.join('') + text.slice(at);
}

function mask(secret: string): string {
  const splits = secret.match(SPLITS_ALL)?.join('') ?? '';
  const plain = secret.replace(SPLITS_ALL, '');
  const isLines = plain.includes('\n');
  return (plain.length < 18 || isLines ? '•••' : `${plain.slice(0, 6)}•••${plain.slice(-4)}`) + splits;
}

/** Colour codes and other sequences of terminals, controls, and characters that nobody sees. */
const SPLITS_ALL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes are the subject
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]|[\ufe00-\ufe0f]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** The text without them, and for each place in it the place in the text. */
function joined(text: string): { readonly plain: string; readonly places: Uint32Array } {
  const places = new Uint32Array(text.length + 1);
  const kept: string[] = [];
  let length = 0;
  let at = 0;
  const keep = (to: number) => {
    kept.push(text.slice(at, to));
    for (; at < to; at++) places[length++] = at;
  };
  for (const { 0: split, index } of text.matchAll(SPLITS_ALL)) {
    keep(index);
    at = index + split.length;
  }
  keep(text.length);
  places[length] = text.length;
  return { plain: kept.join(''), places };
}

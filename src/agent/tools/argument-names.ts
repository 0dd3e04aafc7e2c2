/** Arguments by the names that a model knows from tools of other programs, and words for those that nobody knows. */

import type * as z from 'zod';

/** How the value is meant under our name. */
export interface OtherName {
  readonly to: string;
  /** Undefined where it has no meaning here: the argument then counts as unknown. */
  readonly as: (value: unknown, input: Readonly<Record<string, unknown>>) => unknown;
}

/** By the name elsewhere: ours, or how it is meant; null for words that change nothing of what is done. */
export type OtherNames = Readonly<Record<string, string | OtherName | null>>;

/** For a path, wherever a tool takes one. */
export const PATH_NAMES: OtherNames = { file_path: 'path', file: 'path', filename: 'path', target_file: 'path' };
export const FOLDER_NAMES: OtherNames = { directory: 'path', dir: 'path', dir_path: 'path', folder: 'path' };

/** The same arguments under the names that the tool has, where the meaning is the same; others stay as they are. */
export function withOwnNames(input: unknown, known: readonly string[], others: OtherNames = {}): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const given = input as Readonly<Record<string, unknown>>;
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (known.includes(name)) {
      renamed[name] = value;
      continue;
    }
    const other = otherOf(name, known, others);
    if (other === null) continue;
    const to = typeof other === 'object' ? other.to : (other ?? name);
    const meant = typeof other === 'object' ? other.as(value, given) : value;
    // What is said twice may be meant in two ways.
    const isFree = to !== name && meant !== undefined && !(to in given) && !(to in renamed);
    renamed[isFree ? to : name] = isFree ? meant : value;
  }
  return renamed;
}

/** Written in another case it is the same name. */
function otherOf(name: string, known: readonly string[], others: OtherNames): string | OtherName | null | undefined {
  const same = known.find((one) => bare(one) === bare(name));
  if (same !== undefined) return same;
  const elsewhere = Object.keys(others).find((one) => bare(one) === bare(name));
  return elsewhere === undefined ? undefined : others[elsewhere];
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** @param schema the JSON schema of the tool's input */
export function issueWords(issue: z.core.$ZodIssue, schema: unknown): string {
  const at = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${at || 'input'}: ${issue.message}`;
  const known = namesAt(schema, issue.path);
  const words = issue.keys.map((key) => {
    const near = nearest(key, known);
    return `unknown argument ${JSON.stringify(key.slice(0, 60))}${near === undefined ? '' : `; did you mean "${near}"?`}`;
  });
  return `${at || 'input'}: ${words.join('; ')}. The arguments are: ${known.join(', ')}.`;
}

export function argumentNames(schema: unknown): readonly string[] {
  return namesAt(schema, []);
}

function namesAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  let at = schema as { readonly properties?: Record<string, unknown>; readonly items?: unknown } | undefined;
  for (const step of path) at = (typeof step === 'number' ? at?.items : at?.properties?.[String(step)]) as typeof at;
  return Object.keys(at?.properties ?? {});
}

/** The one that differs least; undefined when all are quite another word. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = bare(name).slice(0, 60);
  const byDistance = known
    .map((one) => ({ one, away: isPartOf(wanted, bare(one)) ? 0 : distance(wanted, bare(one)) }))
    .toSorted((a, b) => a.away - b.away);
  const [best] = byDistance;
  return best !== undefined && best.away <= Math.max(2, Math.floor(wanted.length / 2)) ? best.one : undefined;
}

function isPartOf(one: string, other: string): boolean {
  return one.length > 2 && other.length > 2 && (one.includes(other) || other.includes(one));
}

/** Letters to put in, take out or change. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at++) {
      const changed = (row[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A setting that is a map or a list loses what does not fit, and not all of it. */

import * as z from 'zod';

export interface LeftOut {
  /** Of what is left out: an entry of a map or a list, or one number in it. */
  readonly path: readonly (string | number)[];
  /** Where the mistake is, and what it is. */
  readonly at: readonly (string | number)[];
  readonly message: string;
}

export interface ReadParts<Value> {
  readonly value: Value;
  readonly leftOut: readonly LeftOut[];
}

/** Mistakes that are looked for in one value. */
const MOST = 200;

/**
 * The value without what does not fit; undefined where the value as a whole does not. Of a number that is too large or too
 * small the number alone goes, of any other mistake the whole entry: an address that is left out would send a key elsewhere.
 */
export function readParts<Value>(schema: z.ZodType<Value>, given: unknown): ReadParts<Value> | undefined {
  const leftOut: LeftOut[] = [];
  let value = given;
  for (let tries = 0; tries < MOST; tries++) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { value: parsed.data, leftOut };
    const [issue] = parsed.error.issues;
    const at = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
    const whole = entryDepth(schema, at);
    if (!issue || whole === 0) return undefined;
    const isNumber = (issue.code === 'too_small' || issue.code === 'too_big') && issue.origin !== 'string';
    const path = isNumber && at.length > whole ? at : at.slice(0, whole);
    leftOut.push({ path: originalPath(path, leftOut), at: originalPath(at, leftOut), message: issue.message });
    value = without(value, path);
  }
  return undefined;
}

/** How much of the path leads to the innermost entry of a map or a list; 0 where there is none. */
function entryDepth(schema: z.ZodType, path: readonly (string | number)[]): number {
  let [at, depth]: [z.ZodType | undefined, number] = [schema, 0];
  for (const [index, key] of path.entries()) {
    const inner = at && unwrapped(at);
    if (inner instanceof z.ZodRecord) {
      at = inner.valueType as z.ZodType;
      depth = index + 1;
    } else if (inner instanceof z.ZodArray) {
      at = inner.element as z.ZodType;
      depth = index + 1;
    } else if (inner instanceof z.ZodObject) at = inner.shape[String(key)] as z.ZodType | undefined;
    else break;
  }
  return depth;
}

/** Of what may be left out, may be null or has a default. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodArray || !('unwrap' in schema) || typeof schema.unwrap !== 'function') return schema;
  return unwrapped(schema.unwrap() as z.ZodType);
}

/** The place in what was given: entries of a list that went before it count. */
function originalPath(path: readonly (string | number)[], leftOut: readonly LeftOut[]): readonly (string | number)[] {
  const [first, ...rest] = path;
  if (typeof first !== 'number') return path;
  const gone = leftOut.flatMap(({ path: [at], path }) => (path.length === 1 && typeof at === 'number' ? [at] : []));
  let original = first;
  for (const at of gone.sort((a, b) => a - b)) if (at <= original) original++;
  return [original, ...rest];
}

function without(value: unknown, path: readonly (string | number)[]): unknown {
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.toSpliced(Number(key), 1);
    return value.with(Number(key), without(value[Number(key)], rest));
  }
  if (typeof value !== 'object' || value === null || key === undefined) return value;
  const entries = Object.entries(value);
  const kept = rest.length === 0 ? entries.filter(([name]) => name !== String(key)) : entries;
  return Object.fromEntries(kept.map(([name, one]) => [name, name === String(key) ? without(one, rest) : one]));
}

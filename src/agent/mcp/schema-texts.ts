/** The texts in the JSON schema that a server gives of its input. */

type Schema = Readonly<Record<string, unknown>>;

/** The same schema with every text, not the names of its fields, made anew. */
export function mapTexts(schema: Schema, make: (text: string) => string): Schema {
  return mapped(schema, make) as Schema;
}

function mapped(value: unknown, make: (text: string) => string): unknown {
  if (typeof value === 'string') return make(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, make));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(one, make)]));
}

/** Every text and name in it, which a model reads. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsOf(one)]);
}

const WORDS: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'examples', 'default']);

/** What the fields are, and nothing that is said about them. A field that is called `description` stays. */
export function withoutDescriptions(schema: Schema): Schema {
  return bare(schema, false) as Schema;
}

function bare(value: unknown, names: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => bare(one, false));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => names || !WORDS.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, bare(one, !names && key === 'properties')]));
}

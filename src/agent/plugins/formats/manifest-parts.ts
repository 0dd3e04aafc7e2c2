import * as z from 'zod';

/** Lower case, digits, `-` and `.`; begins and ends with a letter or digit (Agent Plugins 1.0). */
export const pluginName = z
  .string()
  .regex(/^(?!.*(--|\.\.))[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/, 'use 1 to 64 of a–z, 0–9, "-" and "."');

/** Claude Code's names are kebab-case, but it takes others. */
export const looseName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'use 1 to 64 letters, digits, "-", "_" and "."');

const author = z.union([
  z.string(),
  z.looseObject({
    name: z.string().exactOptional(),
    email: z.string().exactOptional(),
    url: z.string().exactOptional(),
  }),
]);

/** What all formats have. */
export const commonFields = {
  $schema: z.string().exactOptional(),
  version: z.string().exactOptional(),
  description: z.string().exactOptional(),
  author: author.exactOptional(),
  homepage: z.string().exactOptional(),
  repository: z.union([z.string(), z.looseObject({})]).exactOptional(),
  license: z.string().exactOptional(),
  keywords: z.array(z.string()).exactOptional(),
};

/** A path, or several. */
export const paths = z.union([z.string(), z.array(z.string())]);
/** A path, several, or the declaration itself. */
export const pathsOrInline = z.union([
  z.string(),
  z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
  z.record(z.string(), z.unknown()),
]);

export function authorName(value: z.infer<typeof author> | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.name;
}

export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** The first problem of a manifest in words: which field, and what is wrong with it. */
export function manifestProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  const field = issue?.path.map(String).join('.');
  return `${field ? `"${field}"` : 'the manifest'}: ${issue?.message ?? 'does not fit'}`;
}

import type * as z from 'zod';

/** `messages.3.content: …` for the first thing that does not fit; inside unions the branch that got furthest. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'the body does not fit' : describe(issue, []);
}

function describe(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): string {
  const path = [...parents, ...issue.path];
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
    if (deepest !== undefined) return describe(deepest, path);
  }
  return `${path.map(String).join('.') || 'body'}: ${issue.message}`;
}

import * as z from 'zod';
import { resolveInside, secretKind, shownPath } from '../safety/index.ts';
import type { OtherNames } from './argument-names.ts';
import type { AskedSecrets } from './asked-secrets.ts';
import { count } from './text-file.ts';
import type { Diagnostic, Tool, ToolContext } from './types.ts';

const input = z.strictObject({
  paths: z.array(z.string()).max(50).default([]).describe('Files to look at; empty for all that the editor knows.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  path: { to: 'paths', as: aList },
  file_path: { to: 'paths', as: aList },
  file: { to: 'paths', as: aList },
  files: 'paths',
};

function aList(path: unknown): readonly string[] | undefined {
  return typeof path === 'string' ? [path] : undefined;
}

/** Problems in one answer. */
const SHOWN = 50;

export function diagnosticsTool(asked: AskedSecrets): Tool<z.infer<typeof input>> {
  return {
    name: 'diagnostics',
    description: "Shows the problems (errors, warnings) that the editor's language services see in files.",
    input,
    otherNames: OTHER_NAMES,
    overlap: 'parallel',
    subject: ({ paths }) => ({ verb: 'check', object: paths.join(', ') }),
    // What a service says of a file may quote it.
    permission: ({ paths }, context) => asked.need(paths, context, 'Read problems of'),
    async run({ paths }, context) {
      const found = await Promise.all(paths.map((path) => resolveInside(path, context.folders)));
      const wrong = found.find((one) => !one.ok);
      if (wrong && !wrong.ok) return { status: 'error', text: wrong.why };
      for (const [at, one] of found.entries()) {
        const refused = one.ok && (await asked.refusal(paths[at] ?? '', one, context));
        if (refused) return refused;
      }
      const absolute = found.flatMap((one) => (one.ok ? [one.path] : []));
      const answer = await context.editor.diagnostics(absolute, context.signal);
      if (context.signal.aborted) return { status: 'stopped', text: 'Stopped before the problems were known.' };
      if (!answer.checked) return { status: 'success', text: `Not checked: ${answer.why}.`, detail: 'not checked' };
      const diagnostics = answer.diagnostics.filter(
        ({ path }) => absolute.includes(path) || secretKind(path) === undefined,
      );
      if (diagnostics.length === 0) return { status: 'success', text: 'No problems.', detail: 'no problems' };
      return {
        status: 'success',
        text: listed(diagnostics, context),
        detail: count(diagnostics.length, 'problem'),
      };
    },
  };
}

/** For the result of an edit: the problems it brought, or that nobody looked; empty when it brought none. */
export async function newProblems(context: ToolContext, paths: readonly string[]): Promise<string> {
  const answer = await context.editor.diagnostics(paths, context.signal, (late) => {
    const told = late.filter(({ path }) => secretKind(path) === undefined);
    if (told.length > 0) context.later(`Problems that an earlier edit brought:\n${listed(told, context)}`);
  });
  if (!answer.checked) {
    const comes = answer.mayCome ? '; you are told if new ones come up later' : '';
    return `Problems: not checked (${answer.why}${comes}).`;
  }
  const shown = answer.diagnostics.filter(({ path }) => secretKind(path) === undefined);
  if (shown.length < answer.diagnostics.length) return 'Problems: not shown for files with secrets.';
  if (shown.length === 0) return 'No new problems.';
  if (answer.before === 'unknown')
    return `Problems (which of them were there before the edit is not known):\n${listed(shown, context)}`;
  return `New problems:\n${listed(shown, context)}`;
}

function listed(diagnostics: readonly Diagnostic[], { folders }: ToolContext): string {
  const lines = diagnostics.slice(0, SHOWN).map((one) => {
    return `${shownPath(one.path, folders)}:${one.line}:${one.column} ${one.severity}: ${one.message}${one.source ? ` (${one.source})` : ''}`;
  });
  const more = diagnostics.length - lines.length;
  return more > 0 ? `${lines.join('\n')}\n… and ${more} more` : lines.join('\n');
}

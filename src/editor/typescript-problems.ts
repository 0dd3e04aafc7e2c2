import * as vscode from 'vscode';
import * as z from 'zod';
import type { Diagnostic } from '../agent/tools/types.ts';
import { cancellationOf } from './cancellation.ts';

const languages: ReadonlySet<string> = new Set(['typescript', 'typescriptreact', 'javascript', 'javascriptreact']);

/** What tsserver answers, as its protocol has it. */
const answer = z.object({
  body: z.array(
    z.object({
      message: z.string(),
      category: z.string(),
      startLocation: z.object({ line: z.number(), offset: z.number() }),
    }),
  ),
});

/** True for documents of VS Code's own TypeScript service, which publishes problems only for files with a tab. */
export function isTypeScript({ languageId }: vscode.TextDocument): boolean {
  return languages.has(languageId);
}

/**
 * The problems that TypeScript sees in an open document, without a tab. The command is VS Code's own and not documented:
 * where it is missing, answers otherwise, the user has switched checks off, or `deadline` aborts, it is undefined. Never
 * rejects.
 */
export async function askTypeScript(
  document: vscode.TextDocument,
  deadline: AbortSignal,
): Promise<readonly Diagnostic[] | undefined> {
  const section = document.languageId.startsWith('typescript') ? 'typescript' : 'javascript';
  if (!vscode.workspace.getConfiguration(section, document).get('validate.enable', true)) return undefined;
  try {
    const answers: Diagnostic[] = [];
    for (const command of ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync']) {
      const said = await ask(command, document.uri, deadline);
      if (said === undefined) return undefined;
      answers.push(...said);
    }
    return answers;
  } catch {
    return undefined;
  }
}

async function ask(
  command: string,
  uri: vscode.Uri,
  deadline: AbortSignal,
): Promise<readonly Diagnostic[] | undefined> {
  if (deadline.aborted) return undefined;
  using cancellation = cancellationOf(deadline);
  const asked = vscode.commands.executeCommand(
    'typescript.tsserverRequest',
    command,
    { file: uri, includeLinePosition: true },
    {},
    cancellation.token,
  );
  const late = Promise.withResolvers<undefined>();
  const end = () => late.resolve(undefined);
  deadline.addEventListener('abort', end, { once: true });
  try {
    // A service that starts does not heed the token.
    const said = answer.safeParse(await Promise.race([asked, late.promise]));
    return said.success ? said.data.body.flatMap((one) => toDiagnostic(uri.fsPath, one)) : undefined;
  } finally {
    deadline.removeEventListener('abort', end);
  }
}

function toDiagnostic(
  path: string,
  { message, category, startLocation }: z.infer<typeof answer>['body'][number],
): readonly Diagnostic[] {
  if (category !== 'error' && category !== 'warning') return [];
  return [{ path, line: startLocation.line, column: startLocation.offset, severity: category, message, source: 'ts' }];
}

import { homedir } from 'node:os';
import type { DeclaredLanguageServer, LanguageServerDefinition } from '../../agent/language-servers/index.ts';

/** Fills in `${NAME}`, `${NAME:-default}` and the folders, in every string; what has no value stays as it is. */
export function withVariables(
  definition: LanguageServerDefinition,
  { folder, variables = {} }: DeclaredLanguageServer,
): LanguageServerDefinition {
  const own: Readonly<Record<string, string>> = {
    workspaceFolder: folder,
    CLAUDE_PROJECT_DIR: folder,
    userHome: homedir(),
    ...variables,
  };
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (whole, name: string, fallback: string | undefined) => {
      return own[name] ?? process.env[name] ?? fallback ?? whole;
    });
  return deep(definition, fill) as LanguageServerDefinition;
}

function deep(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((one) => deep(one, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, deep(of, fill)]));
}

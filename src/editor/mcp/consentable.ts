import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { type DeclaredServer, type McpServerDefinition, scriptsOfServer } from '../../agent/mcp/index.ts';
import { maskKeys } from '../../agent/safety/index.ts';
import type { Consentable } from '../../agent/trust/index.ts';

/** What the user is asked about before a server of a file starts; undefined for one that needs no consent or cannot run. */
export async function consentableServer({
  definition,
  inputs,
  folder,
}: DeclaredServer): Promise<Consentable | undefined> {
  if (definition?.source.is !== 'file') return undefined;
  const { source, ...rest } = definition;
  return {
    id: `mcp_server:${source.path}#${definition.name}`,
    kind: 'mcp_server',
    title: vscode.l10n.t('MCP server {0}', definition.name),
    scope: source.scope,
    path: source.path,
    ...(source.line === undefined ? {} : { line: source.line }),
    wouldRun: wouldRun(definition),
    definition: { ...rest, inputs: inputs.map(({ id, type }) => ({ id, type })) },
    ...(await scriptsOfServer(definition, { folder, home: homedir(), env: process.env })),
    ...(folder === undefined ? {} : { root: folder }),
  };
}

function wouldRun(definition: McpServerDefinition): string {
  const pairs = (of: Readonly<Record<string, string>>, between: string) =>
    Object.entries(of).map(([name, value]) => maskKeys(`${name}${between}${value}`));
  if (definition.transport !== 'stdio') {
    return [`${vscode.l10n.t('Connects to')} ${maskKeys(definition.url)}`, ...pairs(definition.headers, ': ')].join(
      '\n',
    );
  }
  const { command, args, env, cwd, envFile } = definition;
  const line = [command, ...args].map((word) => (/[\s"'$\\]/.test(word) ? JSON.stringify(word) : word)).join(' ');
  return [
    maskKeys(line),
    ...(cwd === undefined ? [] : [vscode.l10n.t('in the folder {0}', cwd)]),
    ...pairs(env, '='),
    ...(envFile === undefined ? [] : [vscode.l10n.t('with the variables of {0}', envFile)]),
  ].join('\n');
}

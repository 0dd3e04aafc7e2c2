import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';

/** A server as `midcourse.manageMcpServers` gives it. */
export interface ListedServer {
  readonly kind: 'mcp' | 'language';
  readonly name: string;
  readonly state: string;
  readonly why?: string;
  readonly tools?: readonly string[];
  readonly hash?: string;
}

export async function listedServer(name: string): Promise<ListedServer | undefined> {
  const all = await vscode.commands.executeCommand<readonly ListedServer[]>('midcourse.manageMcpServers', {
    show: false,
  });
  return all.find((server) => server.name === name);
}

/** Absolute path of a file of an installed package. */
export function modulePath(name: string): string {
  const extension = vscode.extensions.getExtension('midcourse.midcourse');
  assert.ok(extension);
  return join(extension.extensionPath, 'node_modules', name);
}

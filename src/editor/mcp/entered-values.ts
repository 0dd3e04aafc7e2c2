import * as vscode from 'vscode';
import type { DeclaredServer, McpInput } from '../../agent/mcp/index.ts';
import { secretsInUse } from '../../agent/safety/index.ts';

/**
 * Values that the user entered for `${input:…}`, in VS Code's secret storage, by the file that asks for them and, for
 * servers over HTTP, by where they are sent: what was entered for one host is never sent to another one.
 */
export class EnteredValues {
  readonly #storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;
  /** Questions that are open, so that two servers do not ask the same at once. */
  readonly #asking = new Map<string, Promise<string | undefined>>();

  constructor(storage: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>) {
    this.#storage = storage;
  }

  /** @param asks false: only what was entered before @returns undefined when there is no value */
  async value(server: DeclaredServer, id: string, asks: boolean): Promise<string | undefined> {
    const slot = slotOf(server, id);
    const stored = await this.#storage.get(slot);
    const isSecret = server.inputs.find((one) => one.id === id)?.type === 'promptString';
    if (isSecret) secretsInUse.add(stored);
    if (stored !== undefined || !asks) return stored;
    const asking = this.#asking.get(slot) ?? this.#ask(server, id, slot).finally(() => this.#asking.delete(slot));
    this.#asking.set(slot, asking);
    return await asking;
  }

  /** They are asked for again by the next start. */
  async forget(server: DeclaredServer): Promise<void> {
    await Promise.all(server.inputs.map(({ id }) => this.#storage.delete(slotOf(server, id))));
  }

  async #ask(server: DeclaredServer, id: string, slot: string): Promise<string | undefined> {
    const input = server.inputs.find((one) => one.id === id);
    const entered = await ask(server, id, input);
    if (input?.type === 'promptString') secretsInUse.add(entered);
    if (entered !== undefined) await this.#storage.store(slot, entered);
    return entered;
  }
}

async function ask(server: DeclaredServer, id: string, input: McpInput | undefined): Promise<string | undefined> {
  const to = destination(server);
  const title =
    to === undefined
      ? vscode.l10n.t('MCP server {0}', server.name)
      : vscode.l10n.t('MCP server {0}, sent to {1}', server.name, to);
  const prompt = input?.description || id;
  if (input?.type === 'pickString') {
    return await vscode.window.showQuickPick(input.options, { title, placeHolder: prompt, ignoreFocusOut: true });
  }
  return await vscode.window.showInputBox({
    title,
    prompt,
    password: input?.password ?? false,
    ignoreFocusOut: true,
    ...(input?.default === undefined ? {} : { value: input.default }),
  });
}

function slotOf(server: DeclaredServer, id: string): string {
  const { source, name } = server;
  const to = destination(server);
  const slot = `midcourse.mcp.input.${source.is === 'settings' ? name : source.path}.${id}`;
  return to === undefined ? slot : `${slot}@${to}`;
}

/** The origin of a server over HTTP, or its address as it is written where only a variable knows it. */
function destination({ definition }: DeclaredServer): string | undefined {
  if (!definition || definition.transport === 'stdio') return undefined;
  return URL.canParse(definition.url) ? new URL(definition.url).origin : definition.url;
}

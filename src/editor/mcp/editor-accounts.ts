import * as vscode from 'vscode';
import * as z from 'zod';
import {
  type EditorProvider,
  type Grant,
  grantSchema,
  isGranted,
  isOfProvider,
  maySend,
  type Wanted,
  wantedOf,
} from '../../agent/mcp/oauth/editor-account.ts';
import { visibleLine } from '../../words/visible-text.ts';

/** By the address of an MCP server. What an older version kept has no answer of a person in it, and is not read. */
const key = 'midcourse.mcp.editorAccounts';
const grantsSchema = z.record(z.string(), grantSchema);

/**
 * Accounts that the editor itself is signed in to (GitHub, Microsoft), given to MCP servers: to those of the provider
 * itself, and to others only after the person has read who asks for what. The editor keeps the tokens.
 */
export class EditorAccounts {
  readonly #memory: Pick<vscode.Memento, 'get' | 'update'>;

  constructor(memory: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#memory = memory;
  }

  has(url: string): boolean {
    return Object.hasOwn(this.#grants(), url);
  }

  /** Without asking anybody; undefined when there is none any more. */
  async token(url: string): Promise<string | undefined> {
    const grant = this.#grants()[url];
    if (!grant || !maySend(grant, url)) return undefined;
    const account = (await vscode.authentication.getAccounts(grant.provider)).find(({ id }) => id === grant.account);
    if (!account) return undefined;
    const session = await vscode.authentication.getSession(grant.provider, grant.scopes, { silent: true, account });
    return session?.account.id === grant.account ? session.accessToken : undefined;
  }

  /**
   * Only for what a person clicked.
   *
   * @param url the MCP server's address
   * @throws Error in words when it was not given
   */
  async give(url: string, provider: EditorProvider, scopes: readonly string[]): Promise<void> {
    const wanted = wantedOf(url, provider, scopes);
    const before = Object.values(this.#grants()).find((grant) => isGranted(wanted, grant) && grant.by === 'person');
    const own = isOfProvider(wanted);
    if (!own && !before && !(await ask(wanted)))
      throw new Error(vscode.l10n.t('{0} was not given your account.', wanted.origin));
    const session = await vscode.authentication.getSession(provider, wanted.scopes, {
      createIfNone: true,
      // Which account it is to be was not asked above: the editor asks where there are several.
      ...(own || before ? {} : { clearSessionPreference: true }),
    });
    const grant = { ...wanted, account: session.account.id, by: own ? 'provider' : 'person' } as const;
    await this.#memory.update(key, { ...this.#grants(), [url]: grant });
  }

  /** @returns the addresses that had been given it: all of the same origin */
  async takeBack(url: string): Promise<readonly string[]> {
    const grants = this.#grants();
    const { origin } = new URL(url);
    const gone = Object.keys(grants).filter((address) => grants[address]?.origin === origin);
    const kept = Object.fromEntries(Object.entries(grants).filter(([address]) => !gone.includes(address)));
    if (gone.length > 0) await this.#memory.update(key, kept);
    return gone;
  }

  #grants(): Readonly<Record<string, Grant>> {
    return grantsSchema.catch({}).parse(this.#memory.get(key, {}));
  }
}

/** Modal: the default, Escape and closing it all give nothing. */
async function ask({ origin, provider, scopes }: Wanted): Promise<boolean> {
  const name = provider === 'github' ? 'GitHub' : 'Microsoft';
  const give = vscode.l10n.t('Give the Account');
  const accounts = (await vscode.authentication.getAccounts(provider)).map(({ label }) => visibleLine(label));
  const lines = [
    vscode.l10n.t('The server gets a key to your {0} account and can do with it what these permissions allow:', name),
    ...(scopes.length > 0
      ? scopes.map((scope) => `• ${visibleLine(scope)}`)
      : [vscode.l10n.t('• (none is named: what {0} gives by default)', name)]),
    '',
    ...(accounts.length > 0 ? [vscode.l10n.t('Accounts that the editor knows: {0}', accounts.join(', '))] : []),
    vscode.l10n.t('The server does not belong to {0}. Its owner gets the key.', name),
  ];
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Give {0} your {1} account?', visibleLine(origin), name),
    { modal: true, detail: lines.join('\n') },
    give,
  );
  return answer === give;
}

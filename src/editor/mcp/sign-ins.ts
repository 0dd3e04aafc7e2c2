import * as vscode from 'vscode';
import { type Challenge, type McpAuth, readSignedIn, type SignedIn } from '../../agent/mcp/index.ts';
import { secretsInUse } from '../../agent/safety/index.ts';
import type { OutputLog } from '../log.ts';
import { EditorAccounts } from './editor-accounts.ts';
import { browserRedirect } from './redirect.ts';

const provider = 'midcourse-mcp';
const prefix = 'midcourse.mcp.signIn.';
/** Milliseconds that a person may take in the browser. */
const PATIENCE = 10 * 60_000;

/**
 * Sign-ins to MCP servers: in VS Code's accounts menu, kept in its secret storage, one for each address. Where GitHub or
 * Microsoft sign people in, the editor's own accounts are used, by the rules of `EditorAccounts`.
 */
export class SignIns implements vscode.AuthenticationProvider, McpAuth, vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #accounts: EditorAccounts;
  readonly #log: OutputLog;
  readonly #changed = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changed.event;
  /** An address was signed in to or out of, here or in another window. */
  readonly #addressChanged = new vscode.EventEmitter<string>();
  readonly onDidChange = this.#addressChanged.event;
  readonly #renewals = new Map<string, Promise<string | undefined>>();
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor({ secrets, globalState }: vscode.ExtensionContext, log: OutputLog) {
    this.#secrets = secrets;
    this.#accounts = new EditorAccounts(globalState);
    this.#log = log;
    this.#subscriptions = [
      this.#changed,
      this.#addressChanged,
      vscode.authentication.registerAuthenticationProvider(provider, vscode.l10n.t('MCP servers (Midcourse)'), this, {
        supportsMultipleAccounts: true,
      }),
      secrets.onDidChange(({ key }) => {
        if (key.startsWith(prefix)) this.#addressChanged.fire(key.slice(prefix.length));
      }),
    ];
  }

  async token(url: string): Promise<string | undefined> {
    const token = this.#accounts.has(url)
      ? await this.#accounts.token(url)
      : (await this.#read(url))?.tokens.access_token;
    secretsInUse.add(token);
    return token;
  }

  /** Requests that are refused at the same time renew once. */
  renew(url: string, refused: string, signal: AbortSignal): Promise<string | undefined> {
    const renewing =
      this.#renewals.get(url) ?? this.#renew(url, refused, signal).finally(() => this.#renewals.delete(url));
    this.#renewals.set(url, renewing);
    return renewing;
  }

  /**
   * Opens the browser and waits until the user has come back from it. Only for what a user clicked.
   *
   * @param url the server's address
   * @throws Error in words when it did not succeed
   */
  async signIn(url: string, challenge: Challenge): Promise<void> {
    await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Signing in to {0}: go on in the browser', new URL(url).host),
        cancellable: true,
      },
      async (_progress, cancelled) => {
        const controller = new AbortController();
        cancelled.onCancellationRequested(() =>
          controller.abort(new Error(vscode.l10n.t('The sign-in was cancelled.'))),
        );
        await this.#signIn(url, challenge, AbortSignal.any([controller.signal, AbortSignal.timeout(PATIENCE)]));
      },
    );
  }

  async signOut(url: string): Promise<void> {
    for (const address of await this.#accounts.takeBack(url)) this.#addressChanged.fire(address);
    const signedIn = await this.#read(url);
    await this.#secrets.delete(prefix + url);
    if (signedIn) this.#changed.fire({ added: [], removed: [sessionOf(signedIn)], changed: [] });
  }

  /** @param scopes an address, when given */
  async getSessions(scopes?: readonly string[]): Promise<vscode.AuthenticationSession[]> {
    const keys = (await this.#secrets.keys()).filter((key) => key.startsWith(prefix)).sort();
    const all = await Promise.all(keys.map((key) => this.#read(key.slice(prefix.length))));
    const wanted = scopes?.[0];
    return all.flatMap((one) => (one && (wanted === undefined || one.url === wanted) ? [sessionOf(one)] : []));
  }

  /** @param scopes the server's address */
  async createSession([url]: readonly string[]): Promise<vscode.AuthenticationSession> {
    if (url === undefined || !URL.canParse(url)) throw new Error(vscode.l10n.t('Name the address of an MCP server.'));
    await this.signIn(url, {});
    const signedIn = await this.#read(url);
    if (!signedIn) throw new Error(vscode.l10n.t('The server is signed in to with an account of VS Code.'));
    return sessionOf(signedIn);
  }

  async removeSession(id: string): Promise<void> {
    await this.signOut(id);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #signIn(url: string, challenge: Challenge, signal: AbortSignal): Promise<void> {
    const [{ authorizationOf, signIn }, { editorProviderOf }] = await Promise.all([
      import('../../agent/mcp/oauth/flow.ts'),
      import('../../agent/mcp/oauth/editor-account.ts'),
    ]);
    const { server, scopes } = await authorizationOf(url, challenge, signal);
    const own = editorProviderOf(server);
    if (own) {
      await this.#accounts.give(url, own, scopes);
      this.#addressChanged.fire(url);
      return;
    }
    const redirect = await browserRedirect();
    try {
      const open = async (address: URL) => {
        // VS Code decodes the query and encodes it again, which nothing in it minds.
        await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
      };
      await this.#keep(await signIn({ url, challenge, redirect, mayDiffer, open, signal }));
    } finally {
      redirect.close();
    }
  }

  async #renew(url: string, refused: string, signal: AbortSignal): Promise<string | undefined> {
    const signedIn = await this.#read(url);
    if (!signedIn) return undefined;
    // Another window was faster.
    if (signedIn.tokens.access_token !== refused) return signedIn.tokens.access_token;
    const { renew } = await import('../../agent/mcp/oauth/flow.ts');
    const renewed = await renew(signedIn, signal);
    if (!renewed) {
      this.#log.info(`The sign-in to ${url} has ended.`);
      return undefined;
    }
    await this.#keep(renewed);
    return renewed.tokens.access_token;
  }

  async #keep(signedIn: SignedIn): Promise<void> {
    const isNew = (await this.#read(signedIn.url)) === undefined;
    await this.#secrets.store(prefix + signedIn.url, JSON.stringify(signedIn));
    const session = [sessionOf(signedIn)];
    this.#changed.fire({ added: isNew ? session : [], removed: [], changed: isNew ? [] : session });
  }

  async #read(url: string): Promise<SignedIn | undefined> {
    const text = await this.#secrets.get(prefix + url);
    const signedIn = text === undefined ? undefined : readSignedIn(text);
    return signedIn?.url === url ? signedIn : undefined;
  }
}

async function mayDiffer(page: string, receiver: string): Promise<boolean> {
  const go = vscode.l10n.t('Sign In');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Sign in at {0} for {1}?', page, receiver),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The browser will open {0}, but {1} gets the answer and can then act with your account there. Do this only if you know that both belong together.',
        page,
        receiver,
      ),
    },
    go,
  );
  return answer === go;
}

function sessionOf({ url, issuer, tokens }: SignedIn): vscode.AuthenticationSession {
  const label = `${new URL(url).host} (${issuer})`;
  return { id: url, accessToken: tokens.access_token, account: { id: url, label }, scopes: [url] };
}

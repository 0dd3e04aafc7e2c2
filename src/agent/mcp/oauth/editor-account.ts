/** Which servers may be given an account that the editor itself is signed in to, and what is kept of that. */

import * as z from 'zod';

export type EditorProvider = 'github' | 'microsoft';

/**
 * Hosts whose servers the provider itself runs. A leading dot stands for all names below it. Hosts where customers run
 * their own programs (`*.azurewebsites.net`, `*.cloudapp.azure.com`, `*.github.io`) must not be among them.
 */
const OWN_HOSTS: Readonly<Record<EditorProvider, readonly string[]>> = {
  github: [
    'github.com',
    // https://docs.github.com/en/rest: GitHub's own interfaces.
    'api.github.com',
    // https://github.com/github/github-mcp-server: its server is https://api.githubcopilot.com/mcp/; the names below it
    // are those of plans (`api.business.githubcopilot.com`).
    '.githubcopilot.com',
  ],
  microsoft: [
    // https://learn.microsoft.com/graph/use-the-api
    'graph.microsoft.com',
    // https://learn.microsoft.com/training/support/mcp
    'learn.microsoft.com',
    // https://learn.microsoft.com/rest/api/azure
    'management.azure.com',
    // https://learn.microsoft.com/azure/devops/mcp-server
    'mcp.dev.azure.com',
    'dev.azure.com',
    // https://learn.microsoft.com/rest/api/fabric
    'api.fabric.microsoft.com',
    // https://learn.microsoft.com/microsoft-365/enterprise/cloud-microsoft-domain: reserved for Microsoft's own services.
    '.cloud.microsoft',
  ],
};

/** Scopes of one sign-in that a person can be asked about. */
const MOST_SCOPES = 40;
/** Characters of one scope. */
const LONGEST_SCOPE = 300;

/** What was given: an account with these scopes, to the servers of one origin. */
export const grantSchema = z.object({
  /** As `URL.origin`. */
  origin: z.string(),
  provider: z.enum(['github', 'microsoft']),
  /** In order, each once. */
  scopes: z.array(z.string()),
  /** Of the provider, as the editor names it; its token and no other account's is sent. */
  account: z.string(),
  /** `person`: asked and answered. `provider`: the server is the provider's own. */
  by: z.enum(['person', 'provider']),
});

export type Grant = z.infer<typeof grantSchema>;

/** What a server wants: its origin, of which provider, with which scopes. */
export type Wanted = Pick<Grant, 'origin' | 'provider' | 'scopes'>;

/** The editor's own provider for who signs people in, where it has one. @param server address of the authorization server */
export function editorProviderOf(server: string): EditorProvider | undefined {
  if (!URL.canParse(server)) return undefined;
  const { hostname, protocol, port } = new URL(server);
  if (protocol !== 'https:' || port !== '') return undefined;
  if (hostname === 'github.com') return 'github';
  return hostname === 'login.microsoftonline.com' ? 'microsoft' : undefined;
}

/** @param url the MCP server's address @throws Error in words where nobody may be asked for that */
export function wantedOf(url: string, provider: EditorProvider, scopes: readonly string[]): Wanted {
  const { protocol, origin, username, password } = new URL(url);
  if (protocol !== 'https:' || username !== '' || password !== '')
    throw new Error(`An account of the editor is sent over https only, and ${origin} is not reached by it.`);
  const wanted = [...new Set(scopes)].sort();
  if (wanted.length > MOST_SCOPES || wanted.some((scope) => scope.length > LONGEST_SCOPE))
    throw new Error(`${origin} asks for more permissions than anybody could read (${wanted.length}).`);
  return { origin, provider, scopes: wanted };
}

/** True for a server that the provider runs itself: it knows the account anyway. */
export function isOfProvider({ origin, provider }: Wanted): boolean {
  const { hostname, port, protocol } = new URL(origin);
  if (protocol !== 'https:' || port !== '') return false;
  return OWN_HOSTS[provider].some((own) => (own.startsWith('.') ? hostname.endsWith(own) : hostname === own));
}

/** True when exactly that was given: other scopes, another provider or another origin is another question. */
export function isGranted(wanted: Wanted, grant: Grant): boolean {
  return (
    grant.origin === wanted.origin &&
    grant.provider === wanted.provider &&
    grant.scopes.length === wanted.scopes.length &&
    grant.scopes.every((scope, index) => scope === wanted.scopes[index])
  );
}

/** True while the grant's token may be sent to that address. */
export function maySend(grant: Grant, address: string | URL): boolean {
  const { origin, protocol } = new URL(address);
  return protocol === 'https:' && origin === grant.origin && (grant.by === 'person' || isOfProvider(grant));
}

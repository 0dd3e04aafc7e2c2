/** VS Code's own provider for who signs people in, where it has one. @param server address of the authorization server */
export function builtInProviderOf(server: string): 'github' | 'microsoft' | undefined {
  const { hostname, protocol } = new URL(server);
  if (protocol !== 'https:') return undefined;
  if (hostname === 'github.com') return 'github';
  return hostname === 'login.microsoftonline.com' ? 'microsoft' : undefined;
}

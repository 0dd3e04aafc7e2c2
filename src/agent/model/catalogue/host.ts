/** Which host an address really names. What merely looks like a provider's address must never get its key or its ways. */

/** Lower case, without port, user and trailing dot; undefined when it is no address. */
export function hostName(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.toLowerCase().replace(/\.$/, '');
}

/** True for the host itself and for its subdomains. A name in the path, or in front of another domain, is none. */
export function isHost(url: string, domain: string): boolean {
  const host = hostName(url);
  return host !== undefined && (host === domain || host.endsWith(`.${domain}`));
}

/** True for a server on this machine. */
export function isLocal(url: string): boolean {
  const host = hostName(url);
  return host !== undefined && (isHost(url, 'localhost') || /^127\.\d+\.\d+\.\d+$|^\[::1\]$|^0\.0\.0\.0$/.test(host));
}

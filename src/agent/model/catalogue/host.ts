/** Which host an address really names. What merely looks like a provider's address must never get its key or its ways. */

/** Rules ask for the host of one address many times in a row. */
let last: { readonly url: string; readonly host: string | undefined } = { url: '', host: undefined };

/** Lower case, without port, user and trailing dot; undefined when it is no address. */
export function hostName(url: string): string | undefined {
  if (url !== last.url) {
    const host = URL.canParse(url) ? new URL(url).hostname.toLowerCase().replace(/\.$/, '') : undefined;
    last = { url, host };
  }
  return last.host;
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

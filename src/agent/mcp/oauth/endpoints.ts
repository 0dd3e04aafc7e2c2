import { isIP } from 'node:net';

/**
 * Why nothing of a sign-in may be asked of that address, in words; undefined when it may. A server names the addresses
 * of its own sign-in, so they are held to what it is itself: encrypted, and on this machine only if it is there as well.
 *
 * @param server the MCP server's address
 */
export function endpointProblem(address: URL, server: string): string | undefined {
  const { protocol, hostname, username, password } = address;
  const named = `${protocol}//${address.host}`;
  if (username !== '' || password !== '')
    return `The sign-in leads to an address that holds a name or a password (${named}).`;
  const isLocal = isThisMachine(new URL(server).hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal && isThisMachine(hostname)))
    return `The sign-in leads to ${named}, which is not encrypted (https).`;
  if (isInner(hostname) && !isInner(new URL(server).hostname))
    return `The sign-in leads to ${named}, inside your own network, while the server is outside of it.`;
  return undefined;
}

/** True for a loopback address or a name that can be nothing else. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|[\w.-]+\.localhost|127(?:\.\d+){3}|\[::1\])$/i.test(hostname);
}

/** True for one host, and for a host and one below it: whoever has a name gives out those below it. */
export function isSameParty(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

/** Addresses that only mean something inside a network: loopback, private, link-local, where clouds keep their keys. */
function isInner(hostname: string): boolean {
  if (isThisMachine(hostname)) return true;
  const bare = hostname.replace(/^\[|\]$/g, '');
  switch (isIP(bare)) {
    case 4:
      return /^(?:0|10|127)\.|^169\.254\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
        bare,
      );
    case 6:
      // What holds an address of the older kind is written with its last 32 bits by `URL`.
      return /^(?:::|f[cd]|fe[89ab]|64:ff9b:)/i.test(bare);
    default:
      return false;
  }
}

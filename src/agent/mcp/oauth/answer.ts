import { timingSafeEqual } from 'node:crypto';

/**
 * True when the browser came back from the sign-in with this state: anybody can call the address that is waited at, and
 * only the page that was opened knows the state. A parameter that counts is there once (RFC 6749, section 3.1).
 */
export function answersSignIn(url: URL, state: string): boolean {
  const { searchParams } = url;
  const [given, ...others] = searchParams.getAll('state');
  if (given === undefined || others.length > 0 || !isSame(given, state)) return false;
  return ['code', 'error', 'iss'].every((name) => searchParams.getAll(name).length < 2);
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The words in which rules of the catalogue say where they hold. */

import { hostName, isHost } from './host.ts';
import { familyName } from './names.ts';

/** A model at an address. */
export interface At {
  /** The provider's id, as in `provider/model`. */
  readonly provider?: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
}

export type Where = (at: At) => boolean;

/** A host or one of its subdomains. */
export function host(...domains: readonly string[]): Where {
  return ({ baseUrl }) => domains.some((domain) => isHost(baseUrl, domain));
}

/** These hosts and none of their subdomains. */
export function exactHost(...hosts: readonly string[]): Where {
  return ({ baseUrl }) => hosts.includes(hostName(baseUrl) ?? '');
}

export function provider(...ids: readonly string[]): Where {
  return ({ provider: id }) => id !== undefined && ids.includes(id);
}

/** The model's name as the catalogue writes it: see `familyName`. */
export function model(pattern: RegExp): Where {
  return (at) => pattern.test(familyName(at.model));
}

export function anyOf(...wheres: readonly Where[]): Where {
  return (at) => wheres.some((where) => where(at));
}

export function all(...wheres: readonly Where[]): Where {
  return (at) => wheres.every((where) => where(at));
}

export function not(where: Where): Where {
  return (at) => !where(at);
}

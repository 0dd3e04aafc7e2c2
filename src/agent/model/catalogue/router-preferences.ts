const SORTS = ['throughput', 'latency', 'price'];

export interface RouterPreferences {
  readonly body: Readonly<Record<string, unknown>>;
  /** A way to sort that OpenRouter does not have: it is left out, since the request would be refused for it. */
  readonly unknownSort?: string;
}

/** The fields that the settings add to each request, without what a router is known to refuse. */
export function routerPreferences(extra: Readonly<Record<string, unknown>>): RouterPreferences {
  const { provider } = extra;
  if (typeof provider !== 'object' || provider === null || !('sort' in provider)) return { body: extra };
  const { sort, ...others } = provider;
  if (typeof sort !== 'string' || SORTS.includes(sort)) return { body: extra };
  return { body: { ...extra, provider: others }, unknownSort: sort };
}

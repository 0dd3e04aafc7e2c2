/** Asks a server which models it has and what it says of them. */

import type { Api } from '../catalogue/index.ts';
import { anthropicModels, geminiModels, type ListedModel, openAiModels } from './replies.ts';

export interface ListRequest {
  readonly api: Api;
  readonly baseUrl: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds that the server gets. */
  readonly patience: number;
  readonly fetch?: typeof fetch;
}

/**
 * Undefined when the API has no list, or no server answers in time as one of its kind does. Never rejects: what a
 * server says of its models is a help, and nothing waits for it longer than `patience`.
 */
export async function listModels(request: ListRequest): Promise<readonly ListedModel[] | undefined> {
  const list = LISTS[request.api];
  if (list === undefined) return undefined;
  const { url, headers } = list.request(request.baseUrl.replace(/\/+$/, ''), request.key);
  const answer = await askJson(request, url, headers);
  return answer === undefined ? undefined : list.read(answer);
}

/** Undefined when nothing answers, or something else does: it is simply not found. */
export async function askJson(
  { patience, headers, fetch: send = globalThis.fetch }: Pick<ListRequest, 'patience' | 'headers' | 'fetch'>,
  url: string,
  more: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<unknown> {
  try {
    const response = await send(url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...more, ...headers },
      // A redirect would carry the key to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

interface List {
  request(baseUrl: string, key: string | undefined): { readonly url: string; readonly headers: Record<string, string> };
  read(answer: unknown): readonly ListedModel[] | undefined;
}

const openAi: List = {
  request: (baseUrl, key) => ({
    url: `${baseUrl}/models`,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  }),
  read: openAiModels,
};

const LISTS: Readonly<Partial<Record<Api, List>>> = {
  'openai-chat': openAi,
  'openai-responses': openAi,
  anthropic: {
    request: (baseUrl, key) => ({
      url: `${baseUrl.replace(/\/v1$/, '')}/v1/models?limit=1000`,
      headers: { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) },
    }),
    read: anthropicModels,
  },
  gemini: {
    request: (baseUrl, key) => ({
      url: `${/\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`}/models?pageSize=1000`,
      headers: key === undefined ? {} : { 'x-goog-api-key': key },
    }),
    read: geminiModels,
  },
};

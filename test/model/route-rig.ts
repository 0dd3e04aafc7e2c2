/** A provider of the settings, opened as the editor opens it, with every address leading to the fake model server. */

import type { Route } from '../../src/agent/model/catalogue/index.ts';
import type { Effort, ModelPart } from '../../src/agent/model/types.ts';
import { ModelProviders, type NamedModel } from '../../src/editor/model-providers.ts';
import { settingSchemas } from '../../src/editor/settings-schema.ts';
import { openWire } from '../../src/editor/wires.ts';
import type { ModelServer, RecordedRequest } from '../model-server/index.ts';
import { collect, requestOf } from '../unit/model/wire-fixture.ts';

/** Settings as a user writes them; they go through the same schemas. */
export function providersOf(settings: { readonly providers?: unknown; readonly fallback?: unknown }): ModelProviders {
  const parsed = {
    providers: settingSchemas.providers.schema.parse(settings.providers ?? {}),
    fallback: settingSchemas.fallback.schema.parse(settings.fallback ?? []),
  };
  return new ModelProviders({ get: (name) => parsed[name as keyof typeof parsed] as never });
}

export interface Asked {
  /** Where the request would have gone. */
  readonly url: string;
  readonly request: RecordedRequest;
  readonly parts: readonly ModelPart[];
}

/** Asks the model once. */
export async function ask(server: ModelServer, named: NamedModel, effort?: Effort): Promise<Asked> {
  let url = '';
  const wire = await openWire({
    route: routeOf(named),
    entry: named.entry,
    model: named.model,
    key: 'k',
    promptCaching: '5m',
    nativeCompaction: false,
    secretEnv: [],
    debug() {},
    folder: () => undefined,
    languageModel: async () => undefined,
    fetch: (input, init) => {
      url = String(input);
      const { pathname, search } = new URL(url);
      return fetch(`${server.origin}${pathname}${search}`, init);
    },
  });
  const request = { ...requestOf(), model: named.model, ...(effort !== undefined && { effort }) };
  const parts = await collect(wire.stream(request, new AbortController().signal));
  return { url, request: await server.nextRequest(), parts };
}

export function routeOf({ ref, route }: NamedModel): Route {
  if (route === undefined) throw new Error(`${ref} leads nowhere`);
  return route;
}

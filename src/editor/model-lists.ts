import { isLocal, type ModelFacts, type Route } from '../agent/model/catalogue/index.ts';
import { type ListedModel, listModels, localFacts, localServerOf } from '../agent/model/listing/index.ts';

/** Milliseconds that a server on this machine gets which nobody has named, to say that it is there. */
const LOOK = 400;
/** Milliseconds that one gets which somebody has named: it may be busy. */
const LOCAL_PATIENCE = 2_000;
const PATIENCE = 3_000;
/** Milliseconds that what a server said is believed. */
const FRESH = 10 * 60_000;
/** Milliseconds until a server that did not answer is asked again; one on this machine may have been started meanwhile. */
const SILENT = 5 * 60_000;
const LOCAL_SILENT = 10_000;

/** What a server says of one model. */
export type SaidFacts = ModelFacts & Pick<ListedModel, 'price'>;

interface Kept<T> {
  readonly asked: Promise<T | undefined>;
  /** Milliseconds since the epoch. */
  until: number;
}

/** What servers say of their models, asked once and kept for a while. Nothing here ever rejects. */
export class ModelLists {
  readonly #now: () => number;
  readonly #lists = new Map<string, Kept<readonly ListedModel[]>>();
  readonly #facts = new Map<string, Kept<SaidFacts>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Undefined when the server does not answer, or has no list.
   *
   * @param look whether it is only looked if something is there
   */
  list(route: Route, key: string | undefined, look = false): Promise<readonly ListedModel[] | undefined> {
    const { baseUrl, api } = route;
    if (baseUrl === undefined) return Promise.resolve(undefined);
    const silent = isLocal(baseUrl) ? LOCAL_SILENT : SILENT;
    return this.#once(this.#lists, `${api} ${baseUrl} ${key ?? ''}`, silent, () =>
      listModels({ api, ...requestOf(route, baseUrl, key, look) }),
    );
  }

  /** What the server says of one model; a program on this machine is asked for more than its list holds. */
  async facts(route: Route, key: string | undefined, model: string): Promise<SaidFacts | undefined> {
    const { baseUrl } = route;
    const local = baseUrl === undefined ? undefined : localServerOf(route.provider, baseUrl);
    if (baseUrl === undefined || local === undefined)
      return (await this.list(route, key))?.find(({ id }) => id === model);
    return this.#once(this.#facts, `${baseUrl} ${model}`, LOCAL_SILENT, () =>
      localFacts(local, requestOf(route, baseUrl, key), model),
    );
  }

  forget(): void {
    this.#lists.clear();
    this.#facts.clear();
  }

  #once<T>(
    kept: Map<string, Kept<T>>,
    name: string,
    silent: number,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const known = kept.get(name);
    if (known && this.#now() < known.until) return known.asked;
    const entry: Kept<T> = { asked: ask(), until: Number.POSITIVE_INFINITY };
    kept.set(name, entry);
    return entry.asked.then((answer) => {
      entry.until = this.#now() + (answer === undefined ? silent : FRESH);
      return answer;
    });
  }
}

function requestOf({ headers }: Route, baseUrl: string, key: string | undefined, look = false) {
  return { baseUrl, key, headers, patience: isLocal(baseUrl) ? (look ? LOOK : LOCAL_PATIENCE) : PATIENCE };
}

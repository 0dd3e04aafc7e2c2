import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { breathe } from '../kernel/slices.ts';
import type { Log } from '../turn/types.ts';
import { besideChanges, besideNow } from './beside.ts';
import { type ConsentRecord, ConsentRecords, type SealKey } from './consent-record.ts';
import { type Content, ContentHashes } from './content-hash.ts';
import type { BesideChange, Consent, Consentable, ConsentChange, ConsentPort, RunState } from './types.ts';

export interface ConsentStoreParts {
  /** One for all windows of this user on this machine. */
  readonly folder: string;
  /** The same for all windows; from where no other program writes. */
  readonly sealKey: SealKey;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** What the user has allowed to run, kept over restarts and shared by all windows. */
export class ConsentStore implements ConsentPort {
  readonly #parts: ConsentStoreParts;
  readonly #records: ConsentRecords;
  readonly #hashes = new ContentHashes();
  readonly #listeners = new Set<() => void>();
  readonly #watching: Promise<void>;
  #watcher: FSWatcher | undefined;
  #disposed = false;

  constructor(parts: ConsentStoreParts) {
    this.#parts = parts;
    this.#records = new ConsentRecords(parts.folder, parts.sealKey);
    this.#watching = this.#watch();
  }

  /** Resolves when answers of other windows are heard, also where they cannot be. */
  get watching(): Promise<void> {
    return this.#watching;
  }

  /** An answer was given or taken back, here or in another window. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  async check(of: Consentable): Promise<Consent> {
    const content = await this.#hashes.of(of);
    await breathe();
    const { hash, unchecked } = content;
    const shown = { hash, unchecked, files: content.files.map(({ path }) => path) };
    if (await this.#records.has(of.id, hash))
      return { is: 'allowed', ...shown, beside: await this.#beside(of, content) };
    const [before] = await this.#records.of(of.id);
    return before ? { is: 'changed', ...shown, changed: changes(before, content) } : { is: 'waiting', ...shown };
  }

  /** True when it may run as it is now: what `check` says, without looking for what changed. */
  async isAllowed(of: Consentable): Promise<boolean> {
    const { hash } = await this.#hashes.of(of);
    return this.#records.has(of.id, hash);
  }

  async allow(of: Consentable, hash: string): Promise<boolean> {
    const content = await this.#hashes.of(of);
    if (content.hash !== hash) return false;
    await this.#records.add({
      id: of.id,
      hash,
      allowedAt: this.#parts.now(),
      definition: content.definition,
      files: content.files.map(({ name, bytes, link, text }) => ({
        name,
        bytes,
        ...(link === undefined ? {} : { link }),
        ...(text === undefined ? {} : { text }),
      })),
      beside: [...(await besideNow(of, content, this.#bytesOf))],
    });
    this.#changed();
    return true;
  }

  async revoke({ id }: Pick<Consentable, 'id'>): Promise<void> {
    await this.#records.remove(id);
    this.#changed();
  }

  dispose(): void {
    this.#disposed = true;
    this.#watcher?.close();
    this.#listeners.clear();
  }

  async #watch(): Promise<void> {
    const { folder, log } = this.#parts;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (this.#disposed) return;
      this.#watcher = watch(folder, { persistent: false }, (_event, name) => {
        // Drafts begin with a dot; some systems do not say which file it was.
        if (!name?.startsWith('.')) this.#changed();
      });
      this.#watcher.on('error', (error) => log.warn(`Consents given in other windows are not seen any more: ${error}`));
    } catch (error) {
      log.warn(`Consents given in other windows are not seen here: ${error}`);
    }
  }

  readonly #bytesOf = (path: string): Promise<string> => this.#hashes.bytesOf(path);

  async #beside(of: Consentable, content: Content): Promise<readonly BesideChange[]> {
    if (content.unchecked.length === 0) return [];
    const { beside } = (await this.#records.find(of.id, content.hash)) ?? {};
    // It may be taken back in this very moment.
    return beside === undefined ? [] : await besideChanges(of, content, beside, this.#bytesOf);
  }

  #changed(): void {
    if (this.#disposed) return;
    for (const listener of this.#listeners) listener();
  }
}

/** The state of what may run, by consent alone. */
export function runStateOf(consent: Consent): RunState {
  switch (consent.is) {
    case 'allowed':
      return {
        is: 'active',
        ...(consent.unchecked.length > 0 ? { unchecked: consent.unchecked } : {}),
        ...(consent.beside.length > 0 ? { beside: consent.beside } : {}),
      };
    case 'waiting':
      return { is: 'waiting' };
    case 'changed':
      return { is: 'changed', changed: consent.changed };
    default:
      return consent satisfies never;
  }
}

function changes(before: ConsentRecord, now: Content): readonly ConsentChange[] {
  const definition =
    before.definition === now.definition
      ? []
      : [{ what: 'definition', before: before.definition, after: now.definition }];
  const names = [...new Set([...before.files, ...now.files].map(({ name }) => name))];
  const files = names.flatMap((name) => {
    const was = before.files.find((file) => file.name === name);
    const is = now.files.find((file) => file.name === name);
    if (was?.bytes === is?.bytes && was?.link === is?.link) return [];
    const isMoved = was !== undefined && is !== undefined && was.link !== is.link;
    return [
      {
        what: is?.path ?? name,
        before: isMoved ? withPlace(was.text, was.link ?? name) : was?.text,
        after: isMoved ? withPlace(is.text, is.link ?? name) : is?.text,
      },
    ];
  });
  return [...definition, ...files];
}

/** The text with the place that it was read at, where that is what changed. */
function withPlace(text: string | undefined, place: string): string {
  return `→ ${place}\n${text ?? ''}`;
}

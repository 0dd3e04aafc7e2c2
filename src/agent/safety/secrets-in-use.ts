/**
 * The secrets that this process holds or has handed out: keys of providers, signing secrets, what was entered for servers.
 * Texts that leave (logs, exports, webhooks) are masked by these very values, whatever form they have.
 */

/** Characters; shorter values are words, and masking them would mangle every text. */
const SHORTEST = 8;
/** Letters alone of one case, up to here, are a word as well. */
const WORD = /^(?:\p{Ll}{1,15}|\p{Lu}{1,15}|\p{Lu}\p{Ll}{1,14})$/u;
const MOST = 64;

export class SecretsInUse {
  /** In the order in which they were handed out last. */
  readonly #values = new Set<string>();
  #forms: readonly string[] | undefined;

  /** What is too short, or a word, is not taken: it would stand in every text. */
  add(value: string | undefined): void {
    const secret = value?.trim() ?? '';
    if (secret.length < SHORTEST || WORD.test(secret) || secret.startsWith('$')) return;
    this.#values.delete(secret);
    this.#values.add(secret);
    this.#forms = undefined;
    const [oldest] = this.#values;
    if (this.#values.size > MOST && oldest !== undefined) this.#values.delete(oldest);
  }

  /** The values and the forms in which they travel (in an address, in JSON, in base64), longest first. */
  forms(): readonly string[] {
    this.#forms ??= [...new Set([...this.#values].flatMap(formsOf))].sort((a, b) => b.length - a.length);
    return this.#forms;
  }

  clear(): void {
    this.#values.clear();
    this.#forms = undefined;
  }
}

/** One for the process. */
export const secretsInUse = new SecretsInUse();

function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1), base64];
}

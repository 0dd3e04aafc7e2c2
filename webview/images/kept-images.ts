import type { Host } from '../host.ts';

/** Characters of images that the page holds beside those that it draws. */
const mostCharacters = 40_000_000;

interface Held {
  readonly url: Promise<string | undefined>;
  characters: number;
}

/** Images that the host keeps, as addresses that the page can draw; each is asked for once while it is held. */
export class KeptImages {
  readonly #host: Host;
  /** By reference, the one that was used last at the end. */
  readonly #held = new Map<string, Held>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Undefined when it is gone. @throws (rejects) HostError */
  url(ref: string): Promise<string | undefined> {
    const known = this.#held.get(ref);
    this.#held.delete(ref);
    const held = known ?? { url: this.#read(ref), characters: 0 };
    this.#held.set(ref, held);
    return held.url;
  }

  async #read(ref: string): Promise<string | undefined> {
    try {
      const image = await this.#host.request<'readImage'>({ type: 'readImage', ref });
      if (!image) return undefined;
      const held = this.#held.get(ref);
      if (held) held.characters = image.base64.length;
      this.#dropOldest();
      return `data:${image.mime};base64,${image.base64}`;
    } catch (error) {
      this.#held.delete(ref);
      throw error;
    }
  }

  /** Whoever draws one has the text of its address. */
  #dropOldest(): void {
    let all = [...this.#held.values()].reduce((sum, { characters }) => sum + characters, 0);
    for (const [ref, { characters }] of this.#held) {
      if (all <= mostCharacters) return;
      this.#held.delete(ref);
      all -= characters;
    }
  }
}

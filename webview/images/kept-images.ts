import type { Host } from '../host.ts';

/** Images that the page holds at once: those in view and some more. */
const most = 60;

/** Images that the host keeps, as addresses that the page can draw; each is asked for once while it is held. */
export class KeptImages {
  readonly #host: Host;
  /** By reference, the one that was used last at the end. */
  readonly #urls = new Map<string, Promise<string | undefined>>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Undefined when it is gone. @throws (rejects) HostError */
  url(ref: string): Promise<string | undefined> {
    const known = this.#urls.get(ref);
    this.#urls.delete(ref);
    const url = known ?? this.#read(ref);
    this.#urls.set(ref, url);
    if (this.#urls.size > most) this.#dropOldest();
    return url;
  }

  async #read(ref: string): Promise<string | undefined> {
    try {
      const image = await this.#host.request<'readImage'>({ type: 'readImage', ref });
      return image ? `data:${image.mime};base64,${image.base64}` : undefined;
    } catch (error) {
      this.#urls.delete(ref);
      throw error;
    }
  }

  /** Whoever draws it has the text of its address. */
  #dropOldest(): void {
    const [oldest] = this.#urls.keys();
    if (oldest !== undefined) this.#urls.delete(oldest);
  }
}

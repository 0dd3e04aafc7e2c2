import { type ReadonlySignal, signal } from '@preact/signals';
import type { Attachment } from '../../src/api.ts';
import { mostImages } from '../../src/protocol/index.ts';
import { type Host, HostError } from '../host.ts';
import { t } from '../l10n.ts';
import type { Limits } from './fit.ts';
import { base64Of, ImageProblem, prepareImage } from './prepare.ts';

/** One image of the unsent text. */
export type DraftImage = { readonly key: string; readonly name: string } & (
  | { readonly is: 'preparing' }
  | { readonly is: 'ready'; readonly attachment: Attachment }
);

interface Surroundings {
  readonly host: Host;
  limits(): Limits;
  /** The images of the draft are others now. */
  changed(): void;
  /** Something for the user about an image that is not added. */
  say(problem: string): void;
}

/** The images of the unsent text: each is shrunk and given to the host at once, so that no reload loses it. */
export class DraftImages {
  readonly #list = signal<readonly DraftImage[]>([]);
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get list(): ReadonlySignal<readonly DraftImage[]> {
    return this.#list;
  }

  get isEmpty(): boolean {
    return this.#list.peek().length === 0;
  }

  /** True while one of them is not ready to be sent. */
  get arePreparing(): boolean {
    return this.#list.peek().some(({ is }) => is === 'preparing');
  }

  /** Those that are ready. */
  get attachments(): readonly Attachment[] {
    return this.#list.peek().flatMap((image) => (image.is === 'ready' ? [image.attachment] : []));
  }

  /** What is no image is said and left out. */
  add(files: readonly File[]): void {
    const room = mostImages - this.#list.peek().length;
    if (files.length > room) this.#around.say(t('At most {0} images go with one message.', mostImages));
    for (const file of files.slice(0, Math.max(0, room))) void this.#addOne(file);
  }

  /** Images that the host already has: of a draft, or of a text that came back. */
  put(attachments: readonly Attachment[]): void {
    const known = new Set(this.attachments.map(({ ref }) => ref));
    const added = attachments
      .filter(({ kind, ref }) => kind === 'image' && !known.has(ref))
      .map((attachment) => ready(crypto.randomUUID(), attachment));
    if (added.length > 0) this.#set([...this.#list.peek(), ...added]);
  }

  /** In place of all that are there, which belong to another session. */
  restart(attachments: readonly Attachment[]): void {
    this.#list.value = [];
    this.put(attachments);
  }

  remove(key: string): void {
    this.#set(this.#list.peek().filter((image) => image.key !== key));
  }

  /** They go with a text that is sent. */
  take(): readonly Attachment[] {
    const taken = this.attachments;
    if (!this.isEmpty) this.#set([]);
    return taken;
  }

  async #addOne(file: File): Promise<void> {
    const key = crypto.randomUUID();
    this.#set([...this.#list.peek(), { key, name: file.name || t('image'), is: 'preparing' }]);
    try {
      const { name, blob } = await prepareImage(file, this.#around.limits());
      const base64 = await base64Of(blob);
      const attachment = await this.#around.host.request<'keepImage'>({ type: 'keepImage', name, base64 });
      // Removed meanwhile, or the page shows another session.
      if (!this.#list.peek().some((image) => image.key === key)) return;
      const twice = this.attachments.some(({ ref }) => ref === attachment.ref);
      const others = this.#list.peek();
      this.#set(
        twice
          ? others.filter((image) => image.key !== key)
          : others.map((image) => (image.key === key ? ready(key, attachment) : image)),
      );
    } catch (error) {
      this.remove(key);
      const known = error instanceof ImageProblem || error instanceof HostError;
      this.#around.say(
        known ? error.message : t('{0} could not be added: {1}', file.name || t('image'), String(error)),
      );
    }
  }

  #set(list: readonly DraftImage[]): void {
    this.#list.value = list;
    this.#around.changed();
  }
}

function ready(key: string, attachment: Attachment): DraftImage {
  return { key, name: attachment.name, is: 'ready', attachment };
}

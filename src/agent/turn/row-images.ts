/** Images of user rows, from the transcript to the model's messages and to the words that stand in for them. */

import type { Part } from '../../api.ts';
import type { ModelImage, ModelMessage } from '../model/types.ts';
import type { ImageStore } from '../session/index.ts';

type UserMessage = Extract<ModelMessage, { role: 'user' }>;

/** Read from the store when a wire writes it: a long conversation does not hold its images beside what it sends. */
class KeptImage implements ModelImage {
  readonly mime: string;
  readonly ref: string;
  readonly label: string;
  readonly #store: ImageStore;

  constructor(store: ImageStore, { mime, ref, label }: Omit<ModelImage, 'base64'> & { ref: string; label: string }) {
    this.#store = store;
    this.mime = mime;
    this.ref = ref;
    this.label = label;
  }

  get base64(): string {
    return this.#store.read(this.ref) ?? '';
  }
}

/** A user's message with the images of its row; one that is no longer kept is named in the text. */
export function withImages(text: string, parts: readonly Part[], store: ImageStore | undefined): UserMessage {
  const images: ModelImage[] = [];
  const gone: string[] = [];
  for (const part of parts) {
    if (part.type !== 'image') continue;
    const facts = store?.facts(part.ref);
    const label = [part.name, facts && `${facts.width}×${facts.height}`].filter(Boolean).join(', ');
    if (store && facts) images.push(new KeptImage(store, { mime: facts.mime, ref: part.ref, label }));
    else gone.push(note(label, 'it is no longer kept'));
  }
  return { role: 'user', text: joined(text, gone), ...(images.length > 0 && { images }) };
}

/** The same message with words in the place of images that a model is not sent. */
export function withNotes(message: UserMessage, leftOut: (image: ModelImage) => boolean, why: string): UserMessage {
  const { images = [], text } = message;
  const kept = images.filter((image) => !leftOut(image));
  if (kept.length === images.length) return message;
  const notes = images.filter(leftOut).map(({ label = '' }) => note(label, why));
  return { role: 'user', text: joined(text, notes), ...(kept.length > 0 && { images: kept }) };
}

function note(label: string, why: string): string {
  return label === '' ? `[An image was here; ${why}.]` : `[An image was here: ${label}; ${why}.]`;
}

function joined(text: string, notes: readonly string[]): string {
  return [...(text.trim() === '' ? [] : [text]), ...notes].join('\n\n');
}

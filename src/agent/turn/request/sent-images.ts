import type { ModelMessage } from '../../model/types.ts';
import { withNotes } from '../row-images.ts';
import type { ResolvedModel } from '../types.ts';

type Model = Pick<ResolvedModel, 'ref' | 'vision'>;

/**
 * Which images of a session a model is sent. One that sees none gets words in their place, and so does one whose
 * provider refused them; the transcript keeps them, and another model gets them again.
 */
export class SentImages {
  /** References of refused images, by the model's. */
  readonly #refused = new Map<string, Set<string>>();
  /** Messages with words in place of images: the same objects each time, so that the wires know what they wrote. */
  readonly #noted = new WeakMap<ModelMessage, Map<string, ModelMessage>>();

  for(model: Model, messages: readonly ModelMessage[]): readonly ModelMessage[] {
    return messages.map((message) => this.#sent(model, message));
  }

  /** The provider refused images of these messages. False when the model was sent none of them. */
  refuse(model: Model, messages: readonly ModelMessage[]): boolean {
    const refs = this.for(model, messages).flatMap((message) =>
      message.role === 'user' ? (message.images ?? []).flatMap(({ ref }) => ref ?? []) : [],
    );
    if (refs.length === 0) return false;
    this.#refused.set(model.ref, new Set([...(this.#refused.get(model.ref) ?? []), ...refs]));
    return true;
  }

  #sent(model: Model, message: ModelMessage): ModelMessage {
    if (message.role !== 'user' || message.images === undefined) return message;
    const refused = this.#refused.get(model.ref);
    if (model.vision && !refused) return message;
    const leftOut = message.images.filter(({ ref }) => !model.vision || (ref !== undefined && refused?.has(ref)));
    if (leftOut.length === 0) return message;
    const why = model.vision ? 'the provider of this model refused it' : 'this model sees no images';
    const variant = `${why}\n${leftOut.map(({ ref }) => ref).join('\n')}`;
    const known = this.#noted.get(message) ?? new Map<string, ModelMessage>();
    this.#noted.set(message, known);
    const noted = known.get(variant) ?? withNotes(message, (image) => leftOut.includes(image), why);
    known.set(variant, noted);
    return noted;
  }
}

import type { Attachment, Image, InputOptions } from '../../api.ts';
import type { ImageStore } from '../session/index.ts';

/**
 * What goes with a text, its images kept for the session. The same image twice is one.
 *
 * @throws NotAnImage, StorageError
 */
export function keepAttachments(
  store: ImageStore,
  sessionId: string,
  { images = [], attachments = [] }: InputOptions,
): readonly Attachment[] {
  const kept = images.map((image, index) => keep(store, sessionId, image, index));
  return [...new Map([...attachments, ...kept].map((one) => [`${one.kind} ${one.ref}`, one])).values()];
}

function keep(store: ImageStore, sessionId: string, { mime, base64 }: Image, index: number): Attachment {
  const ref = store.save(sessionId, base64);
  const type = store.facts(ref)?.mime ?? mime;
  return { kind: 'image', name: `image-${index + 1}.${type.slice(type.indexOf('/') + 1)}`, mime: type, ref };
}

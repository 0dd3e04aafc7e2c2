import { t } from '../l10n.ts';
import { fits, type Limits, mostBytes, renamed, type Size, sentKinds, shrunk } from './fit.ts';

export interface PreparedImage {
  readonly name: string;
  readonly blob: Blob;
}

/** Why an image cannot be sent, in words for people. */
export class ImageProblem extends Error {}

/** Each next try has half the pixels of the one before: more than these would leave nothing to see. */
const tries = 6;

/**
 * An image as a model takes it: the file itself where it fits, otherwise drawn anew, smaller.
 *
 * @throws (rejects) ImageProblem
 */
export async function prepareImage(file: File, limits: Limits): Promise<PreparedImage> {
  if (file.size > mostBytes)
    throw new ImageProblem(t('{0} is larger than 50 MB. Make it smaller first.', nameOf(file)));
  const bitmap = await decoded(file);
  try {
    if (sentKinds.has(file.type) && fits(bitmap, file.size, limits)) return { name: nameOf(file), blob: file };
    return await redrawn(file, bitmap, limits);
  } finally {
    bitmap.close();
  }
}

async function decoded(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file);
  } catch {
    throw new ImageProblem(
      t('{0} is no image that can be read here. PNG, JPEG, GIF and WebP can be sent.', nameOf(file)),
    );
  }
}

async function redrawn(file: File, bitmap: ImageBitmap, limits: Limits): Promise<PreparedImage> {
  let edge = Math.min(limits.longestEdge, Math.max(bitmap.width, bitmap.height));
  for (let left = tries; left > 0; left--) {
    const canvas = drawn(bitmap, shrunk(bitmap, edge));
    for (const options of encodings(file.type)) {
      const blob = await canvas.convertToBlob(options);
      if (blob.size <= limits.bytes) return { name: renamed(nameOf(file), blob.type), blob };
    }
    edge = Math.floor(edge * Math.SQRT1_2);
  }
  throw new ImageProblem(t('{0} could not be made small enough for this model.', nameOf(file)));
}

/** Screenshots and drawings stay sharp as PNG; what is too large for that, and photographs, become JPEG. */
function encodings(mime: string): readonly ImageEncodeOptions[] {
  const photograph: readonly ImageEncodeOptions[] = [
    { type: 'image/jpeg', quality: 0.9 },
    { type: 'image/jpeg', quality: 0.75 },
  ];
  return mime === 'image/jpeg' ? photograph : [{ type: 'image/png' }, ...photograph];
}

function drawn(bitmap: ImageBitmap, { width, height }: Size): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new ImageProblem(t('Images cannot be made smaller here: this window has no memory left for it.'));
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas;
}

/** What comes from the clipboard is often called nothing. */
function nameOf(file: File): string {
  return (file.name || t('image')).slice(0, 200);
}

/** Without the `data:` head. */
export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = '';
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(binary);
}

/** Images that a result brings: what models take, and the words that say what it is. */

import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ImageFacts, imageFacts } from '../session/image-facts.ts';
import type { ResultImage } from './types.ts';

/** Bytes of one image: as base64 the 5 MB that the strictest provider takes. */
const MOST_IMAGE = 3_750_000;
/** Of one result. */
const MOST_IMAGES = 8;

/** Bytes that hold the size of nearly every image. */
const START = 256 * 1024;

/** `image/png, 640×480, 34 KB`. */
function described({ mime, width, height }: ImageFacts, bytes: number): string {
  const size = bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
  return `${mime}, ${width}×${height}, ${size}`;
}

export interface ReadImage {
  /** What it is, and where it is when it is shown. */
  readonly text: string;
  readonly image?: ResultImage;
}

/** Undefined for a file that is no image. Rejects with a system error. */
export async function imageFile(path: string): Promise<ReadImage | undefined> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const start = Buffer.alloc(Math.min(size, START));
  await file.read(start, 0, start.length, 0);
  const facts = imageFacts(start);
  if (!facts) return undefined;
  const name = basename(path);
  const words = described(facts, size);
  if (size > MOST_IMAGE) return { text: `[${name}: ${words}; ${TOO_LARGE}]` };
  const bytes = Buffer.alloc(size);
  await file.read(bytes, 0, size, 0);
  return { text: `[${name}: ${words}; ${BEHIND}]`, image: { name, base64: bytes.toString('base64') } };
}

/** Of a server, which may call anything an image. Undefined for what is none. */
export function imageOf(base64: string, name: string): ReadImage | undefined {
  const bytes = Buffer.from(base64, 'base64');
  const facts = imageFacts(bytes);
  if (!facts) return undefined;
  const words = described(facts, bytes.length);
  if (bytes.length > MOST_IMAGE) return { text: `[${name}: ${words}; ${TOO_LARGE}]` };
  return { text: `[${name}: ${words}; ${BEHIND}]`, image: { name, base64: bytes.toString('base64') } };
}

/** The first ones, and how many are left out. */
export function boundedImages(images: readonly ResultImage[]): { images: readonly ResultImage[]; leftOut: number } {
  return { images: images.slice(0, MOST_IMAGES), leftOut: Math.max(0, images.length - MOST_IMAGES) };
}

const TOO_LARGE = `it is larger than the ${MOST_IMAGE / 1_000_000} MB that models are shown; make a smaller one with a command`;
const BEHIND = 'it follows the results where the model sees images';

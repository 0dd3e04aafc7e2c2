/** Images of conversations, beside them in the database: one for each content, gone with the last session that has it. */

import { createHash } from 'node:crypto';
import { type ImageFacts, imageFacts } from './image-facts.ts';
import type { Connection } from './sqlite.ts';
import { StorageError } from './types.ts';

export interface ImageStore {
  /**
   * Keeps it for the session and answers with its reference, the same one for the same bytes.
   *
   * @param base64 at most `MOST_IMAGE_BYTES` of a PNG, JPEG, GIF or WebP
   * @throws NotAnImage, StorageError
   */
  save(sessionId: string, base64: string): string;
  /** Undefined when it is gone. */
  facts(ref: string): ImageFacts | undefined;
  /** Base64; undefined when it is gone. */
  read(ref: string): string | undefined;
}

/** Bytes: more than any provider takes in one image. */
export const MOST_IMAGE_BYTES = 10_000_000;

/** `message` is for people. */
export class NotAnImage extends Error {
  override readonly name = 'NotAnImage';
}

/** @throws NotAnImage */
export function readImage(base64: string): { readonly bytes: Uint8Array; readonly facts: ImageFacts } {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.byteLength > MOST_IMAGE_BYTES) {
    throw new NotAnImage('The image is larger than 10 MB. Nothing was sent: make it smaller first.');
  }
  const facts = imageFacts(bytes);
  if (!facts) {
    throw new NotAnImage('The image is no PNG, JPEG, GIF or WebP. Nothing was sent: convert it first.');
  }
  return { bytes, facts };
}

export class Images implements ImageStore {
  readonly #db: Connection;
  readonly #transaction: <T>(work: () => T) => T;

  constructor(db: Connection, transaction: <T>(work: () => T) => T) {
    this.#db = db;
    this.#transaction = transaction;
  }

  save(sessionId: string, base64: string): string {
    const { bytes, facts } = readImage(base64);
    const ref = createHash('sha256').update(bytes).digest('hex');
    return this.#transaction(() => {
      if (!this.#db.get('SELECT 1 FROM sessions WHERE id = ?', sessionId)) {
        throw new StorageError('taken_over', 'This session was deleted: the image is not kept.');
      }
      this.#db.run(
        'INSERT OR IGNORE INTO images (ref, mime, width, height, bytes) VALUES (?, ?, ?, ?, ?)',
        ref,
        facts.mime,
        facts.width,
        facts.height,
        bytes,
      );
      this.#db.run('INSERT OR IGNORE INTO image_uses (session_id, ref) VALUES (?, ?)', sessionId, ref);
      return ref;
    });
  }

  facts(ref: string): ImageFacts | undefined {
    const row = this.#db.get('SELECT mime, width, height FROM images WHERE ref = ?', ref);
    // Written by `save` alone, which has looked at the bytes.
    return row as ImageFacts | undefined;
  }

  read(ref: string): string | undefined {
    const bytes = this.#db.get('SELECT bytes FROM images WHERE ref = ?', ref)?.bytes;
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : undefined;
  }
}

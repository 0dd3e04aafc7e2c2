/** The door to sessions: the store, titles, recovery after a crash, export. */

export { exportJson, exportMarkdown } from './export.ts';
export type { ImageFacts } from './image-facts.ts';
export { type ImageStore, MOST_IMAGE_BYTES, NotAnImage, readImage } from './images.ts';
export type { Lease, LeaseHolder, LeaseState, LeaseStore } from './leases.ts';
export { newestRow } from './newest-row.ts';
export { type OpenedStore, openMemoryStore, openStore, type StoreNotice, setAside } from './open-store.ts';
export { isAlive, type Owner, SILENT_TOO_LONG, thisProcess } from './owner.ts';
export { CLOSING_TEXT, type Recovery, recover, type Unfinished } from './recovery.ts';
export { deriveTitle, mayReplaceTitle } from './titles.ts';
export {
  type Commit,
  type PartialText,
  type ProcessRecord,
  type SessionStore,
  StorageError,
  type StorageFailure,
  type StoredSession,
  type TurnRecord,
} from './types.ts';

/** The door to delegated agents: sessions of their own that work for another one. */

export { isAtWork } from './at-work.ts';
export { Children } from './children.ts';
export { type ReviewParts, Reviews } from './review.ts';
export type { ChildrenParts, Transcript } from './types.ts';

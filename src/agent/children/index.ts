/** The door to delegated agents: sessions of their own that work for another one. */

export { Children, type ChildrenParts, type Transcript } from './children.ts';
export { type ReviewParts, Reviews } from './review.ts';

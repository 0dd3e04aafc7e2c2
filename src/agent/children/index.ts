/** The door to delegated agents: sessions of their own that work for another one. */

export { Children, type ChildrenParts } from './children.ts';

export { mayUse } from './agent-tools.ts';
export { type Collection, NOTHING_FOUND } from './collection.ts';
export { type CustomisationParts, Customisations } from './customisations.ts';
export { expand } from './expand.ts';
export { instructedTools } from './instructed-tools.ts';
export type { Roots } from './instruction-places.ts';
export { skillText } from './skill-tool.ts';
export type * from './types.ts';

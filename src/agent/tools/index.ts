export { type PlannedCall, planBatch } from './batch-plan.ts';
export { createBuiltinTools } from './builtin-tools.ts';
export { PlainEditorPort } from './plain-editor.ts';
export { ProcessRegistry } from './process-registry.ts';
export { endTree, type Survivor, type TreeRoot } from './process-tree.ts';
export { ToolRegistry, toolSpecs, unknownToolText } from './registry.ts';
export { shellFor } from './shell.ts';
export type * from './types.ts';

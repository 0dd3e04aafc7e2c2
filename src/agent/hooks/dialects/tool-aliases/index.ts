export { claudeToolNames, claudeTools } from './claude.ts';
export {
  absolutePath,
  type CallPayload,
  foreignCall,
  foreignFailure,
  foreignResponse,
  isAboutCall,
  known,
  matchNames,
  ownInput,
  ownPath,
  ownResult,
  textOf,
  valuesOf,
} from './translate.ts';
export type * from './types.ts';

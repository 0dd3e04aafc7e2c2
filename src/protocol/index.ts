export { costLabel } from './cost.ts';
export { rootElementId, stringsElementId } from './page.ts';
export { type Parsed, parseToHost, parseToView } from './parse.ts';
export { shortHookName } from './short-hook-name.ts';
export * from './test-ids.ts';
export {
  type AllowedCommand,
  type Answer,
  allowedCommands,
  answers,
  mostImages,
  type Notification,
  type RequestMessage,
  type RequestType,
  type ToHost,
  type VerbCall,
} from './to-host.ts';
export type {
  CallCard,
  EventsMessage,
  LiveState,
  Meter,
  ModelGroup,
  ModelInUse,
  SlashEntry,
  Snapshot,
  Stretch,
  ToView,
  ViewSettings,
  ViewState,
  Welcome,
} from './to-view.ts';

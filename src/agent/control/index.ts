export { REVIEW_GRACE } from './background.ts';
export { ABANDON_AFTER, isFailure, phaseOf } from './ending.ts';
export { MAX_GO_ONS } from './finalizing.ts';
export { isPending, leads, MAX_ITEM_CHARACTERS, MAX_ITEMS } from './items.ts';
export { restore, step } from './machine.ts';
export { MAX_CONTINUATIONS, MAX_RESTARTS } from './requests.ts';
export type {
  Activity,
  Call,
  ControlEvent,
  ControlState,
  Effect,
  GoOn,
  GoOnKind,
  LoopEvent,
  Notice,
  StepResult,
  StopCause,
  Turn,
  TurnEnd,
  UntoldStop,
  VerbEvent,
  Write,
} from './types.ts';
export { SAME_PRESS } from './verbs.ts';

export { REVIEW_GRACE } from './background.ts';
export { ABANDON_AFTER, isFailure, phaseOf } from './ending.ts';
export { isPending, leads, MAX_ITEM_CHARACTERS, MAX_ITEMS } from './items.ts';
export { restore, step } from './machine.ts';
export { MAX_CONTINUATIONS, MAX_RESTARTS } from './requests.ts';
export type {
  Activity,
  Call,
  ControlEvent,
  ControlState,
  Effect,
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

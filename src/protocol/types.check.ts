/** Holds the schemas to `src/api.ts`: a field or a member that only one side knows fails the compiler. No code. */

import type * as z from 'zod/mini';
import type * as api from '../api.ts';
import type * as schemas from './schemas.ts';

/** Both directions, so that neither side can gain a required field or a union member alone. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? (SameKeys<A, B> extends true ? true : false) : false) : false;
type KeysOf<T> = T extends unknown ? keyof T : never;
/** Assignability alone lets an optional field be missing on one side. */
type SameKeys<A, B> = [KeysOf<A>] extends [KeysOf<B>] ? ([KeysOf<B>] extends [KeysOf<A>] ? true : false) : false;
type Shape<T extends z.ZodMiniType> = z.infer<T>;

type Holds<T extends readonly true[]> = T;

export type SchemasMatchTheApi = Holds<
  [
    Same<Shape<typeof schemas.phase>, api.Phase>,
    Same<Shape<typeof schemas.stateName>, api.SessionStateName>,
    Same<Shape<typeof schemas.verbName>, api.Verb>,
    Same<Shape<typeof schemas.receipt>, api.Receipt>,
    Same<Shape<typeof schemas.attachment>, api.Attachment>,
    Same<Shape<typeof schemas.item>, api.Item>,
    Same<Shape<typeof schemas.choice>, api.Choice>,
    Same<Shape<typeof schemas.approval>, api.PendingApproval>,
    Same<Shape<typeof schemas.question>, api.PendingQuestion>,
    Same<Shape<typeof schemas.callSubject>, api.CallSubject>,
    Same<Shape<typeof schemas.row>, api.TranscriptRow>,
    Same<Shape<typeof schemas.backgroundProcess>, api.BackgroundProcess>,
    Same<Shape<typeof schemas.childAgent>, api.ChildAgent>,
    Same<Shape<typeof schemas.usage>, api.Usage>,
    Same<Shape<typeof schemas.modelUsage>, api.ModelUsage>,
    Same<Shape<typeof schemas.turnResult>, api.TurnResult>,
    Same<Shape<typeof schemas.toolCallState>, api.ToolCallState>,
    Same<Shape<typeof schemas.sessionEvent>, api.SessionEvent>,
    Same<Shape<typeof schemas.sessionSummary>, api.SessionSummary>,
  ]
>;

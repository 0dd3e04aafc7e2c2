import type { ModelUsage, Usage } from '../../api.ts';
import type { Spent } from './budget.ts';

/** Where the usage of a session comes from, and what of the budgets is spent. */
export interface Spending {
  /** Of its own turns. */
  readonly byModel: readonly ModelUsage[];
  /** Of its agents, also those that have ended. */
  readonly agents: Usage;
  /** Of its quiet reviews since it was opened; not part of the session's usage. */
  readonly reviews: Usage;
  /** Every budget that is set; that of a turn while one runs. */
  readonly budgets: readonly Spent[];
}

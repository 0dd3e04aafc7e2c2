/** How an effort is asked for on the chat wire: each family of servers has its own field. */

import type { Quirks } from '../../catalogue/index.ts';
import { GEMINI_BUDGETS } from '../../catalogue/thinking-budgets.ts';
import type { Effort } from '../../types.ts';

/** Fields of the body; none for a server that is not asked. */
export function effortFields(effort: Effort | undefined, { effortAs, geminiThinking }: Quirks): object {
  if (effort === undefined || effortAs === undefined) return {};
  const off = effort === 'none';
  switch (effortAs) {
    case 'reasoning_effort':
      return { reasoning_effort: effort };
    case 'reasoning_object':
      return { reasoning: off ? { enabled: false } : { enabled: true, effort } };
    case 'thinking_toggle':
      return { thinking: { type: off ? 'disabled' : 'enabled' } };
    case 'google_thinking': {
      const amount =
        geminiThinking === 'level'
          ? { thinking_level: off || effort === 'minimal' || effort === 'low' ? 'low' : 'high' }
          : { thinking_budget: GEMINI_BUDGETS[effort] };
      return { extra_body: { google: { thinking_config: { ...amount, include_thoughts: !off } } } };
    }
    default:
      return effortAs satisfies never;
  }
}

/** How an effort is asked for on the chat wire: each family of servers has its own field. */

import type { Quirks } from '../../catalogue/index.ts';
import type { Effort } from '../../types.ts';

/** Tokens that Gemini may think with. */
const GEMINI_BUDGET: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

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
          : { thinking_budget: GEMINI_BUDGET[effort] };
      return { extra_body: { google: { thinking_config: { ...amount, include_thoughts: !off } } } };
    }
    default:
      return effortAs satisfies never;
  }
}

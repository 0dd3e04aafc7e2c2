import type { ModelCall } from '../model/types.ts';
import type { Tool } from './types.ts';

export interface PlannedCall {
  readonly callId: string;
  /** Calls of one segment may overlap; a segment starts when the one before it has ended. Numbered from 0. */
  readonly segment: number;
}

/**
 * Segments of a batch, in call order: neighbouring `parallel` calls share one, every other call has its own. A call that
 * cannot run (unknown tool, arguments that do not fit) is a barrier, so that its error stands where the model put it.
 */
export function planBatch(
  calls: readonly ModelCall[],
  tools: { find(name: string): Tool | undefined },
): readonly PlannedCall[] {
  let segment = -1;
  let open = false;
  return calls.map((call) => {
    const parallel = mayOverlap(call, tools.find(call.name));
    if (!(parallel && open)) segment++;
    open = parallel;
    return { callId: call.callId, segment };
  });
}

function mayOverlap(call: ModelCall, tool: Tool | undefined): boolean {
  if (tool === undefined || call.invalidInput !== undefined) return false;
  return tool.overlap === 'parallel' && tool.input.safeParse(call.input).success;
}

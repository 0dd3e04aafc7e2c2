import type { ModelUsage, Usage } from '../../api.ts';
import { addUsage } from './usage.ts';

/** What one more request of a model used. */
export function addModelUsage(
  all: readonly ModelUsage[],
  { ref, label }: Pick<ModelUsage, 'ref' | 'label'>,
  usage: Usage,
): readonly ModelUsage[] {
  return sumModelUsage(all, [{ ref, label, requests: 1, usage }]);
}

/** By model, in the order in which they first answered; under the label that a model had last. */
export function sumModelUsage(...lists: readonly (readonly ModelUsage[])[]): readonly ModelUsage[] {
  const sums = new Map<string, ModelUsage>();
  for (const one of lists.flat()) {
    const { requests = 0, usage } = sums.get(one.ref) ?? {};
    sums.set(one.ref, {
      ref: one.ref,
      label: one.label,
      requests: requests + one.requests,
      usage: usage ? addUsage(usage, one.usage) : one.usage,
    });
  }
  return [...sums.values()];
}

import type { ModelGroup } from '../protocol/index.ts';

/** The models of these references in a group of their own in front; each model stands once. */
export function recentFirst(
  groups: readonly ModelGroup[],
  recent: readonly string[],
  label: string,
): readonly ModelGroup[] {
  const all = new Map(groups.flatMap(({ models }) => models.map((model) => [model.ref, model])));
  const first = { label, models: [...new Set(recent)].flatMap((ref) => all.get(ref) ?? []) };
  const others = groups.map((group) => ({ ...group, models: group.models.filter(({ ref }) => !recent.includes(ref)) }));
  return [first, ...others].filter(({ models }) => models.length > 0);
}

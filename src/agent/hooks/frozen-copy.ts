/**
 * A copy that nobody can change, of a value that consists of JSON. Strings are shared, so that a large result costs
 * nothing. What is no JSON stays as it is.
 */
export function frozenCopy<T>(value: T): T {
  try {
    return copy(value) as T;
  } catch {
    // Nested deeper than the stack goes. The outer level alone still keeps hooks from each other.
    return typeof value === 'object' && value !== null ? (Object.freeze({ ...value }) as T) : value;
  }
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copied: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) copied[key] = copy(inner);
  return Object.freeze(copied);
}

/** An invariant of the control machine that did not hold. `rule` names it by its number in the list of invariants. */
export class Violation extends Error {
  readonly rule: string;
  constructor(rule: string, message: string) {
    super(`${rule}: ${message}`);
    this.name = 'Violation';
    this.rule = rule;
  }
}

export function hold(condition: unknown, rule: string, message: string | (() => string)): asserts condition {
  if (!condition) throw new Violation(rule, typeof message === 'string' ? message : message());
}

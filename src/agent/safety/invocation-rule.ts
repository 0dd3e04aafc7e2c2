import type { Finding } from './finding.ts';

/** What is found, without its place. */
export type Found = Pick<Finding, 'level' | 'why'>;

/** One row of a table of commands: what it looks for and why. */
export interface InvocationRule {
  /** Of the program: lower case, without directory and `.exe`. */
  readonly names: RegExp;
  readonly level: Found['level'];
  readonly when?: (args: readonly string[], name: string) => boolean;
  readonly why: string;
}

export function has(args: readonly string[], pattern: RegExp): boolean {
  return args.some((arg) => pattern.test(arg));
}

/** Operands: what is no option. */
export function operands(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !arg.startsWith('-'));
}

/** The values of an option, written as `--name=value`, `--name value`, or behind a short one also `-nvalue`. */
export function valuesOf(args: readonly string[], option: RegExp): readonly string[] {
  return args.flatMap((arg, at) => {
    const [whole] = option.exec(arg) ?? [];
    if (whole === undefined) return [];
    if (whole === arg) return args[at + 1] === undefined ? [] : [args[at + 1] ?? ''];
    const rest = arg.slice(whole.length);
    if (rest.startsWith('=')) return [rest.slice(1)];
    return whole.startsWith('--') ? [] : [rest];
  });
}

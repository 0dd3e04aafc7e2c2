/**
 * Most programs take a long option cut to what is still unique: `--recurs`, `--forc`. A cut that fits two options is an
 * error to them, so nothing harmless is taken for what it is not.
 */

/** The words, and behind each that is the beginning of one of the options the whole option. @param names without dashes */
export function withWholeOptions(args: readonly string[], names: readonly string[]): readonly string[] {
  return args.flatMap((arg) => {
    const [, cut, value = ''] = /^--([a-z][a-z-]*)(=.*)?$/s.exec(arg) ?? [];
    if (cut === undefined) return [arg];
    return [arg, ...names.filter((name) => name.startsWith(cut) && name !== cut).map((name) => `--${name}${value}`)];
  });
}

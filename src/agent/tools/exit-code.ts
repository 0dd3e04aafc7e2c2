/** What an exit code means where it means something, or undefined. */
export function exitNote(command: string, code: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (signal !== null) return `ended by ${signal}`;
  if (code === null || code === 0) return undefined;
  const meaning = MEANINGS.find(([name, exit]) => exit === code && name.test(lastCommand(command)));
  if (meaning) return meaning[2];
  if (code === 126) return 'it could not be executed';
  if (code === 127) return 'command not found';
  if (code > 128 && code <= 165) return `ended by signal ${code - 128}`;
  return undefined;
}

/** An exit code of a known kind is an answer, not a failure. */
export function isFailure(command: string, code: number | null, signal: NodeJS.Signals | null): boolean {
  if (signal !== null || code === null) return true;
  return code !== 0 && !MEANINGS.some(([name, exit]) => exit === code && name.test(lastCommand(command)));
}

const MEANINGS: readonly (readonly [RegExp, number, string])[] = [
  [/^(e|f|z)?grep$|^rg$|^ag$|^git grep$/, 1, 'no match'],
  [/^diff$|^cmp$|^git diff$/, 1, 'they differ'],
  [/^test$|^\[$/, 1, 'the condition is false'],
];

/** The name of the command whose exit code the shell returns, if that is easy to see. */
function lastCommand(command: string): string {
  const last =
    command
      .trim()
      .split(/\n|;|&&|\|\|?/)
      .at(-1)
      ?.trim() ?? '';
  const [name = '', subcommand = ''] = last.split(/\s+/);
  return name === 'git' ? `git ${subcommand}` : name.replace(/^.*\//, '');
}

/** Characters. */
const LABEL = 28;

/** Where most scripts lie, quoted or not. */
const PROJECT = /^"?\$\{?CLAUDE_PROJECT_DIR\}?"?\//;

/** A hook's name for a narrow line, behind which its state has to be seen too; both ends of a command say most. */
export function shortName(name: string): string {
  const command = name.replace(PROJECT, '');
  return command.length <= LABEL ? command : `${command.slice(0, LABEL / 2 - 2)}…${command.slice(1 - LABEL / 2)}`;
}

/** Where most scripts lie, quoted or not. */
const PROJECT = /^"?\$\{?CLAUDE_PROJECT_DIR\}?"?\//;

/** A hook's name for a narrow line, which has to say more than that; both ends of a command say most. */
export function shortHookName(name: string, most: number): string {
  const command = name.replace(PROJECT, '');
  return command.length <= most ? command : `${command.slice(0, most / 2 - 2)}…${command.slice(1 - most / 2)}`;
}

/** How much a server's list of tools may hold: it goes into every request to a model. */

/** Characters of one tool's schema as JSON, and of all tools of a server with their descriptions. */
const LONGEST_SCHEMA = 64 * 1024;
const LONGEST_LIST = 1024 * 1024;
/** Objects in objects; what goes deeper is made to exhaust who reads it. */
const DEEPEST = 48;
/** Characters of a name. */
const LONGEST_NAME = 200;

/** Why the tool is left out, in words; undefined when it can be used. */
export function toolProblem(name: string, inputSchema: unknown): string | undefined {
  if (name.length > LONGEST_NAME) return `its name has ${name.length} characters`;
  // Looked at before it is written as JSON, which would go as deep as it does.
  if (isDeeper(inputSchema, DEEPEST)) return `its schema has more than ${DEEPEST} levels`;
  const { length } = JSON.stringify(inputSchema);
  return length > LONGEST_SCHEMA ? `its schema has ${length} characters` : undefined;
}

/** Counts what a list holds. */
export class ListBudget {
  #left = LONGEST_LIST;

  /** False when it does not fit any more. */
  takes(description: string, inputSchema: unknown): boolean {
    this.#left -= description.length + JSON.stringify(inputSchema).length;
    return this.#left >= 0;
  }
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= most; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

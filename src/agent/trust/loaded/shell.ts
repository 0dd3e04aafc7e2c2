import { dirname } from 'node:path';
import type { Finder } from './types.ts';

/**
 * A shell script is read as the command line that it is, with its own folder and the variables that it sets to one
 * written value known in it: `. "$(dirname "$0")/x"`, `source "${BASH_SOURCE%/*}/x"`, `DIR=…; sh "$DIR/x"`.
 */
export const shell: Finder = async ({ path, text, cwd }, looking) => {
  const folder = dirname(path);
  let read = text.replaceAll('\r\n', '\n');
  // From the inside to the outside: each may be in the next.
  for (const pattern of OWN_FOLDER) read = read.replace(pattern, OWN);
  const variables: Record<string, string> = { [NAME]: folder };
  const several = new Set<string>();
  for (const [, name = '', value = ''] of read.matchAll(ASSIGNMENT)) {
    const known = literal(value, variables);
    if (known === undefined || (variables[name] ?? known) !== known) several.add(name);
    else variables[name] = known;
  }
  for (const name of several) delete variables[name];
  const loads = await looking.ofCommand({ command: read }, cwd, { ...variables, PWD: cwd });
  // `cd` to its own folder is how many begin, also in ways that are not read.
  return MOVES.test(read) ? { ...loads, uses: [...loads.uses, ...(await besides(read, folder, looking))] } : loads;
};

const NAME = 'MIDCOURSE_OWN_FOLDER';
const OWN = `\${${NAME}}`;

const OWN_FOLDER: readonly RegExp[] = [
  /\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}/g,
  /\$\{(?:0|BASH_SOURCE(?:\[0\])?):h\}|\$\{\$?0:A:h\}/g,
  /\$\( ?dirname (?:-- )?"?(?:\$0|\$\{0\}|\$BASH_SOURCE|\$\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\})"? ?\)/g,
  /\$\( ?dirname (?:-- )?"?\$\( ?(?:readlink -f|realpath) (?:-- )?"?(?:\$0|\$\{0\}|\$BASH_SOURCE|\$\{BASH_SOURCE(?:\[0\])?\})"? ?\)"? ?\)/g,
  /`dirname "?(?:\$0|\$\{0\}|\$BASH_SOURCE)"?`/g,
  /\$\( ?(?:CDPATH= )?cd (?:-P )?(?:-- )?"?\$\{MIDCOURSE_OWN_FOLDER\}"?(?: ?>&? ?\/dev\/null(?: 2>&1)?)? ?(?:&&|;) ?pwd(?: -P)? ?\)/g,
];

const ASSIGNMENT =
  /(?:^|[;&|]) *(?:(?:export|readonly|local|declare|typeset) (?:-\w+ )*)?([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|"'`()]*)/gm;

const MOVES = /\b(?:cd|pushd)\b/;

/** Undefined for what only the shell knows. */
function literal(value: string, variables: Readonly<Record<string, string>>): string | undefined {
  if (value.startsWith("'")) return value.slice(1, -1);
  const bare = value.startsWith('"') ? value.slice(1, -1) : value;
  const filled = bare.replace(/\$\{(\w+)\}|\$(\w+)/g, (whole, one: string | undefined, other: string | undefined) => {
    const name = one ?? other ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole;
  });
  return /[$`\\]/.test(filled) ? undefined : filled;
}

async function besides(text: string, folder: string, looking: Parameters<Finder>[1]) {
  const { uses } = await looking.ofCommand({ command: text }, folder, { [NAME]: folder });
  const there = await Promise.all(uses.map(async (use) => ((await looking.probe.isFile(use.path)) ? [use] : [])));
  return there.flat();
}

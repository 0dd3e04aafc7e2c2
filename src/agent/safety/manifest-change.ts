/** Which changes of a package's manifest start something: its other lines are edited like any file. */

import { type ParseError, parse } from 'jsonc-parser';
import { plainPath } from './plain-path.ts';

/**
 * Why an edit of a manifest is protected, in words; undefined for another file, or when what changes starts nothing.
 *
 * @param before undefined for a new file
 */
export function manifestChange(path: string, before: string | undefined, after: string): string | undefined {
  const name = plainPath(path).split('/').at(-1) ?? '';
  const watched = WATCHED.get(name);
  if (watched === undefined) return undefined;
  const [old, next] = [before === undefined ? {} : fieldsOf(before), fieldsOf(after)];
  if (old === undefined || next === undefined) return `What ${name} starts cannot be read from its text.`;
  const changed = watched.filter((field) => JSON.stringify(at(old, field)) !== JSON.stringify(at(next, field)));
  return changed.length === 0 ? undefined : `It changes what ${name} starts or installs: ${changed.join(', ')}.`;
}

/** By name of the file: fields (`a.b` for one inside) that run at an install, a commit, or in the editor. */
const WATCHED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'package.json',
    `scripts bin directories hooks gitHooks husky simple-git-hooks lint-staged pre-commit pre-push dependencies
     devDependencies optionalDependencies peerDependencies bundledDependencies bundleDependencies overrides resolutions
     pnpm workspaces packageManager devEngines trustedDependencies allowScripts config publishConfig eslintConfig
     prettier stylelint binary gypfile`.split(/\s+/),
  ],
  ['composer.json', ['scripts', 'require', 'require-dev', 'repositories', 'config', 'extra', 'autoload.files', 'bin']],
  ['deno.json', ['tasks', 'imports', 'importMap', 'lint.plugins']],
  ['deno.jsonc', ['tasks', 'imports', 'importMap', 'lint.plugins']],
  ['tsconfig.json', ['compilerOptions.plugins', 'extends', 'ts-node']],
  ['jsconfig.json', ['compilerOptions.plugins', 'extends', 'ts-node']],
]);

type Fields = Readonly<Record<string, unknown>>;

/** Undefined when the text is no object of JSON, comments and trailing commas allowed. */
function fieldsOf(text: string): Fields | undefined {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && errors.length === 0 ? (value as Fields) : undefined;
}

function at(fields: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? (value as Fields)[key]
      : undefined;
  }, fields);
}

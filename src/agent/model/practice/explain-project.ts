import type { Rehearsal } from './history.ts';
import { call, codeBlock, excerpt, fileText, hasRead, lastDone, type Scenario } from './move.ts';

const TELLING = ['README.md', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod'];

/** Lists, reads what tells most about a project, and says what it found: in any folder. */
export const explainProject: Scenario = (rehearsal) => {
  const listed = lastDone(rehearsal, 'list_files');
  if (listed === undefined) {
    return { say: 'I look at the files first.', calls: [call('list_files', { depth: 2 })] };
  }
  const names = new Set(listed.text.split(/[\s/]+/));
  const present = TELLING.filter((path) => names.has(path));
  const unread = present.filter((path) => hasRead(rehearsal, path) === undefined);
  if (unread.length > 0) {
    return {
      say: `${unread.join(' and ')} should tell most. I read ${unread.length === 1 ? 'it' : 'them side by side'}.`,
      calls: unread.map((path) => call('read_file', { path })),
    };
  }
  return { say: found(rehearsal, listed.text, present) };
};

function found(rehearsal: Rehearsal, listing: string, present: readonly string[]): string {
  return [
    'This is what I found.',
    ...aboutReadme(rehearsal),
    ...aboutPackage(rehearsal),
    `The files:\n\n${codeBlock(excerpt(listing, 25))}`,
    present.length === 0
      ? 'There is neither a README nor a project file that I know, so start with the folder that has the most code.'
      : `Start reading at ${present.map((path) => `\`${path}\``).join(' or ')}, then follow the names it mentions into the code.`,
    'A real model would go on into the code from here.',
  ].join('\n\n');
}

function aboutReadme(rehearsal: Rehearsal): string[] {
  const readme = hasRead(rehearsal, 'README.md');
  if (readme === undefined || readme.isError) return [];
  const quote = excerpt(fileText(readme).trim(), 8).split('\n');
  return [`Its README says:\n\n${quote.map((line) => `> ${line}`).join('\n')}`];
}

function aboutPackage(rehearsal: Rehearsal): string[] {
  const file = hasRead(rehearsal, 'package.json');
  const manifest = file === undefined ? undefined : manifestOf(fileText(file));
  if (manifest === undefined) return [];
  const scripts = Object.entries(manifest.scripts).map(([name, command]) => `- \`npm run ${name}\`: \`${command}\``);
  return scripts.length === 0 ? [] : [`\`${manifest.name}\` has these scripts:\n\n${scripts.join('\n')}`];
}

function manifestOf(text: string): { name: string; scripts: Record<string, string> } | undefined {
  try {
    const { name = 'The package', scripts = {} } = JSON.parse(text) as {
      name?: string;
      scripts?: Record<string, string>;
    };
    return { name, scripts };
  } catch {
    return undefined;
  }
}

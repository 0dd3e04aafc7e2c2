import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import * as vscode from 'vscode';
import type { Consent, Consentable } from '../../agent/trust/index.ts';
import { visibleLine, visibleParts, visibleText } from '../../words/visible-text.ts';
import { besideWords, uncheckedWords } from './loaded-words.ts';

/** Characters of one script that are shown, and of all scripts together. */
const MOST_OF_ONE = 100_000;
const MOST_OF_ALL = 1_000_000;

/** What would run, as a text to read: from which file, the lines, the definition and every script in full. */
export async function reviewText(of: Consentable, consent: Consent): Promise<string> {
  const where = visibleLine(of.line === undefined ? of.path : `${of.path}:${of.line}`);
  const scope =
    of.scope === 'workspace' ? vscode.l10n.t('This workspace brings it.') : vscode.l10n.t('It is in your home folder.');
  const parts = [
    // The question has the title as well, and lies over the lines behind it.
    `# ${visibleLine(of.title)}\n\n`,
    `${stateWords(consent)} ${scope}\n\n${vscode.l10n.t('Declared in {0}', where)}`,
    `## ${vscode.l10n.t('What would run')}\n\n${fenced(of.wouldRun)}`,
    `## ${vscode.l10n.t('Definition')}\n\n${fenced(JSON.stringify(of.definition, undefined, 2), 'json')}`,
  ];
  const beside = consent.is === 'allowed' ? besideWords(consent.beside) : [];
  for (const lines of [beside, uncheckedWords(consent.unchecked)]) {
    if (lines.length === 0) continue;
    const [title = '', ...rest] = lines;
    parts.push(`## ${title}\n\n${fenced(rest.join('\n'))}`);
  }
  let left = MOST_OF_ALL;
  for (const path of consent.files) {
    const shown = left > 0 ? await scriptText(path) : vscode.l10n.t('Not shown here: open the file.');
    left -= shown.length;
    parts.push(`## ${visibleLine(path)}\n\n${shown}`);
  }
  parts.push(`${vscode.l10n.t('What you allow is this version')}: \`${consent.hash}\``);
  return `${parts.join('\n\n')}\n`;
}

function stateWords(consent: Consent): string {
  switch (consent.is) {
    case 'allowed':
      return vscode.l10n.t('You have allowed this.');
    case 'waiting':
      return vscode.l10n.t('It waits for your consent and does not run.');
    case 'changed':
      return vscode.l10n.t('It was changed since you allowed it and does not run.');
    default:
      return consent satisfies never;
  }
}

async function scriptText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return vscode.l10n.t('This file cannot be read: {0}', 'no ordinary file');
    const { size } = found;
    if (size > MOST_OF_ONE) return vscode.l10n.t('{0} bytes: open the file to read it.', size);
    const bytes = await readFile(path);
    if (bytes.includes(0)) return vscode.l10n.t('{0} bytes that are not text.', size);
    return fenced(bytes.toString('utf8'), extname(path).slice(1));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT'
      ? vscode.l10n.t('This file does not exist. Once it does, you are asked again.')
      : vscode.l10n.t('This file cannot be read: {0}', code ?? String(error));
  }
}

/**
 * What would not be seen, or would be taken for something else, stands as marks, and how many there are below. The fence
 * is longer than any in the text, so that no script can end it and write words of ours.
 */
function fenced(raw: string, language = ''): string {
  const { marks } = visibleParts(raw.replaceAll('\r\n', '\n'));
  const text = visibleText(raw.replaceAll('\r\n', '\n'));
  const said = marks === 0 ? '' : `\n\n${vscode.l10n.t('Hidden or misleading characters shown as marks: {0}', marks)}`;
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}${said}`;
}

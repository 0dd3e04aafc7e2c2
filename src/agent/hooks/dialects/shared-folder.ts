import { anyObject, readJsonText } from '../../declarations/json-text.ts';
import { events as copilotEvents } from './copilot/events.ts';

/**
 * Which of the two that share `.github/hooks` a file was written for. One with events of both is VS Code's, which reads
 * the names of Copilot's command line as well.
 */
export function dialectOfHooksFile(text: string): 'vscode' | 'copilot' {
  const file = readJsonText(text);
  const root = anyObject.safeParse(typeof file === 'string' ? undefined : file.value).data;
  const names = Object.keys(anyObject.safeParse(root?.hooks).data ?? {});
  const known = names.some((name) => Object.hasOwn(copilotEvents, name));
  const camelCase = names.every((name) => /^[a-z]/.test(name));
  return known && camelCase ? 'copilot' : 'vscode';
}

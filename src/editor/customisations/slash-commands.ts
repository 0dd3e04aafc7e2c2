import * as vscode from 'vscode';
import { type Customisations, expand, type ProvidedCommand, skillText } from '../../agent/customisations/index.ts';
import type { LiveSession } from '../../agent/turn/index.ts';
import type { SlashEntry } from '../../protocol/index.ts';
import { builtIns, sourceLabel } from './slash-entries.ts';

/** What a text of the composer is. */
export type Meaning =
  /** A message; `providerText` where the model is given other words than were typed. */
  | { readonly is: 'message'; readonly providerText?: string }
  /** A command that has done its work; nothing is sent. */
  | { readonly is: 'done'; readonly message?: string };

interface Typed {
  readonly name: string;
  readonly args: string;
}

/**
 * The slash commands of the chat. What is not the name of one, such as a path, is a message like any other; texts of
 * other surfaces are never looked at.
 */
export class SlashCommands {
  readonly #customisations: Customisations;

  constructor(customisations: Customisations) {
    this.#customisations = customisations;
  }

  /** For the list that opens at a `/`. Reads anew what has changed. */
  async list(): Promise<readonly SlashEntry[]> {
    await this.#customisations.refresh();
    return [
      ...(await presentBuiltIns()),
      ...this.#customisations.slashCommands.map(({ is, name, description, source, argumentHint }) => ({
        name,
        description,
        kind: is,
        source: sourceLabel(source),
        ...(argumentHint === undefined ? {} : { argumentHint }),
      })),
      ...this.#customisations.providedCommands.map(({ name, description, plugin, argumentHint }) => ({
        name,
        description,
        kind: 'command' as const,
        source: sourceLabel({ is: 'plugin', plugin }),
        ...(argumentHint === undefined ? {} : { argumentHint }),
      })),
    ];
  }

  /**
   * In the same tick for everything but the commands that code answers.
   *
   * @param signal a stop, for a command of a plugin
   * @throws (rejects) when such a command fails, in words
   */
  meaningOf(text: string, session: LiveSession, signal: AbortSignal): Meaning | Promise<Meaning> {
    const typed = parse(text);
    const meaning = typed && this.#run(typed, session, signal);
    if (!typed || meaning === undefined) return { is: 'message' };
    session.tellCommand(typed.name, typed.args);
    return meaning;
  }

  /** What an edited text becomes: commands that run something are not started by an edit. */
  expansionOf(text: string): string | undefined {
    const typed = parse(text);
    return typed && this.#expansion(typed);
  }

  #run(typed: Typed, session: LiveSession, signal: AbortSignal): Meaning | Promise<Meaning> | undefined {
    const builtIn = builtIns().find(({ name }) => isName(name, typed.name));
    if (builtIn) return runBuiltIn(builtIn, typed, session);
    const providerText = this.#expansion(typed);
    if (providerText !== undefined) return { is: 'message', providerText };
    const provided = this.#customisations.providedCommands.find(({ name }) => isName(name, typed.name));
    return provided && runProvided(provided, typed, signal);
  }

  #expansion({ name, args }: Typed): string | undefined {
    const command = this.#customisations.slashCommands.find((one) => isName(one.name, name));
    if (!command) return undefined;
    return command.is === 'skill' ? skillText(command, args) : expand(command.body, args);
  }
}

/** Some commands are there only while their part of the extension is. */
async function presentBuiltIns(): Promise<readonly SlashEntry[]> {
  const present = new Set(await vscode.commands.getCommands(true));
  return builtIns()
    .filter(({ command }) => present.has(command))
    .map(({ name, description }) => ({ name, description, kind: 'builtin', source: '' }));
}

/** A name and what follows it; undefined for what does not begin as a command does. */
function parse(text: string): Typed | undefined {
  const [, name, args = ''] = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

function isName(name: string, typed: string): boolean {
  return name.toLowerCase() === typed.toLowerCase();
}

function runBuiltIn(
  { name, command, takes }: ReturnType<typeof builtIns>[number],
  { args }: Typed,
  session: LiveSession,
): Promise<Meaning> {
  const argument = takes === 'text' && args !== '' ? { text: args } : { sessionId: session.id };
  const left = takes === 'nothing' && args !== '';
  const run = vscode.commands.executeCommand(command, takes === 'text' && args === '' ? undefined : argument);
  const message = vscode.l10n.t('/{0} takes no words; it was run without them.', name);
  return Promise.resolve(run).then(() => ({ is: 'done', ...(left ? { message } : {}) }));
}

async function runProvided(command: ProvidedCommand, { name, args }: Typed, signal: AbortSignal): Promise<Meaning> {
  const { prompt, message } = await command.run(args, signal);
  if (signal.aborted) throw new Error(vscode.l10n.t('/{0} was stopped. Nothing was sent; your text is kept.', name));
  if (prompt !== undefined && prompt.trim() !== '') return { is: 'message', providerText: prompt };
  return { is: 'done', ...(message === undefined ? {} : { message }) };
}

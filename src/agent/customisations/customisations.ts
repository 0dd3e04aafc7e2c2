import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Disposable } from '../../api.ts';
import { isInside } from '../safety/index.ts';
import type { Log } from '../turn/types.ts';
import { type Collection, collect, NOTHING_FOUND } from './collection.ts';
import type { Roots } from './instruction-places.ts';
import { NestedInstructions } from './nested.ts';
import { customisationText } from './prompt-text.ts';
import { type Readable, SourceFiles } from './source-files.ts';
import type {
  AgentRole,
  CustomisationPort,
  CustomisationProvider,
  Instructions,
  ProvidedCommand,
  Skill,
  SlashCommand,
  Unused,
} from './types.ts';

export interface CustomisationParts {
  roots(): Roots;
  readonly log: Log;
  /** What the person had loaded although it was held back, by the hash of its text; nothing without it. */
  readonly readable?: Readable;
}

/**
 * What files say, for all sessions of a window. It is read when a session begins and when somebody asks for it; watchers
 * call `refresh` so that lists are true at once.
 */
export class Customisations implements CustomisationPort {
  readonly #parts: CustomisationParts;
  readonly #files: SourceFiles;
  readonly #providers = new Set<CustomisationProvider>();
  readonly #listeners = new Set<() => void>();
  /** What a session's prompt holds; the same from its first turn on. */
  readonly #prompts = new Map<string, Readonly<Record<'session' | 'child', string>>>();
  readonly nested: NestedInstructions;
  readonly #heldOnTheWay = new Map<string, Unused>();
  readonly #notedOnTheWay = new Map<string, Instructions>();
  #collection: Collection = NOTHING_FOUND;
  #reading: Promise<Collection> | undefined;
  #again = false;

  constructor(parts: CustomisationParts) {
    this.#parts = parts;
    this.#files = new SourceFiles(parts.readable);
    this.nested = new NestedInstructions(
      this.#files,
      () => this.#collection,
      (found, unused) => this.#foundOnTheWay(found, unused),
    );
  }

  /** As it was read last, with what folders deeper down hold back. */
  get collection(): Collection {
    if (this.#heldOnTheWay.size === 0) return this.#collection;
    return { ...this.#collection, unused: [...this.#collection.unused, ...this.#heldOnTheWay.values()] };
  }

  /** Instructions of folders below that a session has met and that have something to say of themselves. */
  get notedOnTheWay(): readonly Instructions[] {
    return [...this.#notedOnTheWay.values()];
  }

  get skills(): readonly Skill[] {
    return this.#collection.skills;
  }

  /** Prompt files, commands and the skills that people may start; a skill gives way to a command of its name. */
  get slashCommands(): readonly SlashCommand[] {
    const { commands, skills } = this.#collection;
    const taken = new Set(commands.map(({ name }) => name.toLowerCase()));
    const startable = skills.filter(({ name, userMayUse }) => userMayUse && !taken.has(name.toLowerCase()));
    return [...commands, ...startable];
  }

  /** Slash commands that the code of plugins answers. */
  get providedCommands(): readonly ProvidedCommand[] {
    return [...this.#providers].flatMap((provider) => provider.commands());
  }

  get roles(): readonly AgentRole[] {
    return this.#collection.agents;
  }

  /** Plugins come and go; what they bring counts from the next session on. */
  provide(provider: CustomisationProvider): Disposable {
    this.#providers.add(provider);
    const listening = provider.onDidChange(() => void this.refresh());
    void this.refresh();
    return {
      dispose: () => {
        listening.dispose();
        this.#providers.delete(provider);
        void this.refresh();
      },
    };
  }

  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Reads what has changed. One that is asked for while another reads begins after it. Never rejects. */
  async refresh(): Promise<Collection> {
    if (this.#reading) {
      this.#again = true;
      return await this.#reading;
    }
    this.#reading = this.#read();
    return await this.#reading;
  }

  prepare(sessionId: string): Promise<void> | undefined {
    if (this.#prompts.has(sessionId)) return undefined;
    return this.refresh().then(() => {
      if (!this.#prompts.has(sessionId)) this.#prompts.set(sessionId, this.#text());
    });
  }

  /** What stands in the session's system prompt; of one that was not prepared, what would. */
  prompt(sessionId: string | undefined, of: 'session' | 'child'): string {
    const known = sessionId === undefined ? undefined : this.#prompts.get(sessionId);
    return (known ?? this.#text())[of];
  }

  /** The instructions, skill, command or agent that the file at a real path belongs to, by its name. Never rejects. */
  async instructionOf(path: string): Promise<string | undefined> {
    const { instructions, skills, commands, agents } = this.#collection;
    const places = [
      ...[...instructions, ...commands, ...agents].map((one) => ({ name: one.name, at: one.path })),
      ...skills.map((one) => ({ name: one.name, at: dirname(one.path) })),
    ];
    for (const { name, at } of places) if (isInside(path, await realPath(at))) return name;
    return undefined;
  }

  compacted(sessionId: string): void {
    this.#prompts.delete(sessionId);
    this.nested.forget(sessionId);
  }

  /** The workspace or its trust is another: what was read of it counts no more, also for sessions that go on. */
  rootsChanged(): void {
    this.#prompts.clear();
    this.#heldOnTheWay.clear();
    this.#notedOnTheWay.clear();
    this.#collection = NOTHING_FOUND;
    void this.refresh();
  }

  dispose(): void {
    this.#listeners.clear();
    this.#providers.clear();
  }

  #foundOnTheWay(found: readonly Instructions[], unused: readonly Unused[]): void {
    const held = unused.filter((one) => one.held !== undefined && this.#heldOnTheWay.get(one.path)?.held !== one.held);
    const noted = found.filter(({ path, notes, text }) => notes && this.#notedOnTheWay.get(path)?.text !== text);
    for (const one of held) this.#heldOnTheWay.set(one.path, one);
    for (const one of noted) this.#notedOnTheWay.set(one.path, one);
    for (const { path } of found) this.#heldOnTheWay.delete(path);
    if (held.length + noted.length > 0) for (const listener of this.#listeners) listener();
  }

  #text(): Readonly<Record<'session' | 'child', string>> {
    const sections = [...this.#providers].flatMap((provider) => provider.sections());
    return {
      session: customisationText(this.#collection, sections, 'session'),
      child: customisationText(this.#collection, sections, 'child'),
    };
  }

  async #read(): Promise<Collection> {
    do {
      this.#again = false;
      try {
        const { folders, home } = this.#parts.roots();
        const provided = [...this.#providers].flatMap((provider) => provider.folders());
        const real = await Promise.all(provided.map(async (one) => ({ ...one, path: await realPath(one.path) })));
        this.#collection = await collect({ folders, home }, real, this.#files);
      } catch (error) {
        const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#parts.log.error(
          `Instructions, skills and commands could not be read; what was read last counts: ${words}`,
        );
      }
    } while (this.#again);
    this.#reading = undefined;
    for (const listener of this.#listeners) listener();
    return this.#collection;
  }
}

/** A folder that is not there is listed as it is written: nothing will be found in it. */
async function realPath(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

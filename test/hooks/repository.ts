import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rulesOf } from '../../src/agent/hooks/dialects/index.ts';
import { HookProcesses, hookOf } from '../../src/agent/hooks/handlers/index.ts';
import type { Dialect, Hook } from '../../src/agent/hooks/index.ts';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import { Rig, type WireName } from '../unit/turn/rig.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Started {
  readonly declaredAs: string;
  readonly payload: HookPayload;
  /** The same for all hooks of one firing. */
  readonly of: string;
}

/** A repository of `test/fixtures` in the folder of the real loop, with its hook files as they are. */
export class Repository {
  readonly rig: Rig;
  readonly #processes = new HookProcesses();
  readonly #started: Started[] = [];
  #ended = 0;

  static async open(name: string, files: Readonly<Record<string, Dialect>>, wire: WireName): Promise<Repository> {
    const repository = new Repository(await Rig.start(wire));
    cpSync(new URL(`../fixtures/${name}`, import.meta.url), repository.rig.folder, { recursive: true });
    for (const [path, dialect] of Object.entries(files)) repository.#load(path, dialect);
    return repository;
  }

  private constructor(rig: Rig) {
    this.rig = rig;
    rig.model = { ref: 'openai/gpt-5.5' };
    // Edits need no card, and commands that a test allows.
    rig.always.add('write');
    rig.hooks.manager.onDidRun(() => {
      this.#ended += 1;
    });
  }

  /** Runs without a card, as if the user had said *always*. */
  allow(command: string): void {
    const [program] = command.split(' ');
    // What only shows what it reads has a rule by its name, everything else by the whole command.
    for (const rule of [`run=${command}`, `run:${program} …`]) this.rig.always.add(`${rule}@${this.rig.folder}`);
  }

  /** The user answers every card at once. */
  answerCards(choice: 'once' | 'deny'): void {
    const { session } = this;
    session.onDidEmit((event) => {
      if (event.type === 'approval.opened') session.answer(event.id, choice);
    });
  }

  get session(): LiveSession {
    return this.rig.agent.live()[0] ?? this.rig.agent.create({ model: this.rig.model.ref ?? 'openai/gpt-5.5' });
  }

  #load(path: string, dialect: Dialect): void {
    const file = join(this.rig.folder, path);
    const rules = rulesOf(dialect);
    const { hooks, broken } = rules.readConfig(readFileSync(file, 'utf8'));
    if (broken !== undefined) throw new Error(broken);
    const source = { is: 'file', scope: 'workspace', path: file } as const;
    const parts = {
      surroundings: {
        transcriptPath: async (sessionId: string) => join('/transcripts', `${sessionId}.jsonl`),
        home: '/home/someone',
        folders: [this.rig.folder],
      },
      processes: this.#processes,
      environment: process.env,
      secretEnv: () => [],
      textFolder: join(this.rig.dataFolder, 'texts'),
    };
    this.rig.hooks.manager.replace(
      path,
      hooks.map((hook) => this.#noted(hookOf(hook, rules, source, parts))),
    );
  }

  /** The firings in their order, under the names of the hook files, such as `PreToolUse(Bash)`. */
  order(toolName: (payload: HookPayload) => string | undefined): readonly string[] {
    return this.#started
      .filter(({ of }, index) => of !== this.#started[index - 1]?.of)
      .map(({ declaredAs, payload }) => {
        const tool = toolName(payload);
        return tool === undefined ? declaredAs : `${declaredAs}(${tool})`;
      });
  }

  /** Resolves when every hook that was started has ended. */
  async through(): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#ended < this.#started.length) return;
        listening.dispose();
        resolve();
      };
      const listening = this.rig.hooks.manager.onDidRun(look);
      look();
    });
  }

  /** Notes when it is run. */
  #noted(hook: Hook): Hook {
    return {
      ...hook,
      run: (payload, signal) => {
        this.#started.push({ declaredAs: hook.declaredAs, payload, of: JSON.stringify([hook.declaredAs, payload]) });
        return hook.run(payload, signal);
      },
    };
  }

  /** What hooks wrote into a file of the repository, line by line. */
  lines(name: string): readonly string[] {
    const path = join(this.rig.folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  /** The objects that hooks were told, as far as they wrote them down. */
  told(name = 'fired.jsonl'): readonly Fields[] {
    return this.lines(name).map((line) => JSON.parse(line));
  }

  async close(): Promise<void> {
    await this.rig.close();
    await this.#processes.dispose();
    await this.rig.hooks.manager.close();
  }
}

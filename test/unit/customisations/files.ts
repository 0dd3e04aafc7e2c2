import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Customisations } from '../../../src/agent/customisations/index.ts';

/** A workspace folder and a home folder on disk, and what is read of them. */
export class Files implements AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  readonly customisations: Customisations;
  readonly logged: string[] = [];
  /** Untrusted: the workspace has no folders for the reader. */
  trusted = true;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
    this.folder = join(root, 'shop');
    this.home = join(root, 'home');
    const log = (message: string) => void this.logged.push(message);
    this.customisations = new Customisations({
      roots: () => ({ folders: this.trusted ? [this.folder] : [], home: this.home }),
      log: { debug: log, info: log, warn: log, error: log },
    });
  }

  /** @param files by their paths, those that begin with `~/` in the home folder */
  static async of(files: Readonly<Record<string, string>>): Promise<Files> {
    const made = new Files(await realpath(await mkdtemp(join(tmpdir(), 'midcourse-files-'))));
    await Promise.all([mkdir(made.folder), mkdir(made.home)]);
    for (const [path, text] of Object.entries(files)) await made.write(path, text);
    await made.customisations.refresh();
    return made;
  }

  path(path: string): string {
    return path.startsWith('~/') ? join(this.home, path.slice(2)) : join(this.folder, path);
  }

  async write(path: string, text: string): Promise<string> {
    const at = this.path(path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, text);
    return at;
  }

  /** What stands in the system prompt of a session that begins now. */
  async prompt(sessionId = 's1'): Promise<string> {
    await this.customisations.prepare(sessionId);
    return this.customisations.prompt(sessionId, 'session');
  }

  /** Why that file is not used, in the words of the list. */
  whyUnused(path: string): string | undefined {
    return this.customisations.collection.unused.find((one) => one.path === this.path(path))?.why;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.customisations.dispose();
    await rm(this.#root, { recursive: true, force: true });
  }
}

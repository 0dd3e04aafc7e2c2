import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One program that the shell started, or would have: its words as it got them. */
export interface Started {
  readonly cwd: string;
  readonly words: readonly string[];
}

/**
 * Bash calls this for each program that is not there, and no program is: nothing runs, everything is told. The two sides of
 * a pipe write to files of their own, as a text with line ends is written in pieces.
 */
const HANDLER = `command_not_found_handle() { printf '%s\\0' PROGRAM "$PWD" "$@" END >> "$TRACE/$BASHPID"; }
export -f command_not_found_handle
`;

/** A folder with a few files in which commands are given to the real bash, with programs that only tell that they were started. */
export class ShellTrace {
  #folder = '';
  #count = 0;

  get folder(): string {
    return join(this.#folder, 'work');
  }

  async open(): Promise<void> {
    this.#folder = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-trace-')));
    await mkdir(join(this.folder, 'src'), { recursive: true });
    await writeFile(join(this.#folder, 'handler.sh'), HANDLER);
    for (const name of ['a.txt', 'b.txt', 'src/x.ts', '-rf']) await writeFile(join(this.folder, name), '');
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @param env besides what bash itself needs */
  async run(command: string, env: Readonly<Record<string, string>>): Promise<readonly Started[]> {
    const trace = join(this.#folder, `trace-${++this.#count}`);
    await mkdir(trace);
    const base = {
      PATH: '/nonexistent',
      BASH_ENV: join(this.#folder, 'handler.sh'),
      TRACE: trace,
      HOME: '/home/nobody',
    };
    const options = { cwd: this.folder, env: { ...base, ...env }, timeout: 5_000 };
    // Over a socket as its stdin bash would take itself for a remote shell and read other files.
    const child = spawn('/bin/bash', ['-c', command], { ...options, stdio: 'ignore' });
    await new Promise((resolve) => child.once('close', resolve));
    const texts = (await readdir(trace)).map((name) => readFile(join(trace, name), 'utf8'));
    return (await Promise.all(texts)).flatMap(startedIn);
  }

  async files(): Promise<readonly string[]> {
    return await readdir(this.folder, { recursive: true });
  }
}

function startedIn(text: string): readonly Started[] {
  return text
    .split('PROGRAM\0')
    .filter((one) => one !== '')
    .map((one) => {
      const [cwd = '', ...words] = one.split('\0').slice(0, -2);
      return { cwd, words };
    });
}

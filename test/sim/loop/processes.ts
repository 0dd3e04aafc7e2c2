import type { ProcessPort, RecordedCommand } from '../../../src/agent/tools/types.ts';
import type { BackgroundProcess } from '../../../src/api.ts';

/** Background processes as values; they end when the schedule says so. */
export class ScriptedProcesses implements ProcessPort {
  #list: BackgroundProcess[] = [];
  #started = 0;
  readonly #changed: (process: BackgroundProcess) => void;

  constructor(changed: (process: BackgroundProcess) => void) {
    this.#changed = changed;
  }

  /** A foreground command goes on in the background. */
  takeOver(turnId: string, startedAt: number): BackgroundProcess {
    const number = ++this.#started;
    const process: BackgroundProcess = {
      id: `p${number}`,
      pid: 1000 + number,
      command: `command ${number}`,
      cwd: '/',
      startedAt,
      startedBy: 'yield',
      turnId,
      state: 'running',
      tail: '',
    };
    this.#list.push(process);
    this.#changed(process);
    return process;
  }

  get running(): readonly BackgroundProcess[] {
    return this.#list.filter(({ state }) => state === 'running');
  }

  end(id: string, state: 'exited' | 'killed'): void {
    const found = this.#list.find((process) => process.id === id);
    if (!found) return;
    const ended: BackgroundProcess = { ...found, state, exitCode: 0 };
    this.#list = this.#list.map((process) => (process.id === id ? ended : process));
    this.#changed(ended);
  }

  start(): never {
    throw new Error('scripted tools start nothing');
  }

  adopt(): never {
    throw new Error('scripted tools have no real processes');
  }

  list(): readonly BackgroundProcess[] {
    return this.#list;
  }

  output(): string | undefined {
    return '';
  }

  kill(id: string): Promise<{ readonly survivors: readonly [] }> {
    this.end(id, 'killed');
    return Promise.resolve({ survivors: [] });
  }

  record(): RecordedCommand {
    return { started() {}, ended() {} };
  }
}

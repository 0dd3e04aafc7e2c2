import type { BackgroundProcess } from '../../api.ts';
import type { ProcessPort, RecordedCommand, RunningCommand } from '../tools/types.ts';

/**
 * The background processes of an agent: they are its parent's, so that they are listed, ended and told of there; which
 * of them the agent started is known here.
 */
export class ChildProcesses implements ProcessPort {
  readonly #parent: ProcessPort;
  readonly #turnId: string;
  readonly #end: (id: string) => void;
  readonly #started = new Set<string>();
  #over = false;

  /**
   * @param turnId the parent's turn that the agent works for
   * @param end ends one of them and tells of what could not be ended
   */
  constructor(parent: ProcessPort, turnId: string, end: (id: string) => void) {
    this.#parent = parent;
    this.#turnId = turnId;
    this.#end = end;
  }

  async start(options: Parameters<ProcessPort['start']>[0]): Promise<BackgroundProcess> {
    return this.#keep(await this.#parent.start({ ...options, turnId: this.#turnId }));
  }

  adopt(running: RunningCommand): BackgroundProcess {
    return this.#keep(this.#parent.adopt({ ...running, turnId: this.#turnId }));
  }

  list(): readonly BackgroundProcess[] {
    return this.#parent.list();
  }

  output(id: string): string | undefined {
    return this.#parent.output(id);
  }

  kill(id: string): ReturnType<ProcessPort['kill']> {
    return this.#parent.kill(id);
  }

  record(mark: string, command: string): RecordedCommand {
    return this.#parent.record(mark, command);
  }

  /** Those that it started and that still run. */
  running(): readonly BackgroundProcess[] {
    return this.list().filter(({ id, state }) => state === 'running' && this.#started.has(id));
  }

  /** Ends what it started, also what starts only now. */
  endAll(): void {
    this.#over = true;
    for (const { id } of this.running()) this.#end(id);
  }

  #keep(process: BackgroundProcess): BackgroundProcess {
    this.#started.add(process.id);
    if (this.#over) this.#end(process.id);
    return process;
  }
}

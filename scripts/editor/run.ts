import { type SpawnOptions, spawn } from 'node:child_process';

export class CommandFailed extends Error {
  readonly output: string;
  constructor(command: string, ending: string, output: string) {
    super(`${command} ${ending}`);
    this.output = output;
  }
}

/** What a person needs to read of an error: of a failed command also what it printed. */
export function describeFailure(error: unknown): string {
  if (error instanceof CommandFailed) return `${error.message}\n${error.output}`;
  return error instanceof Error ? error.message : String(error);
}

/** Runs a command to its end and returns what it printed on both streams. Throws `CommandFailed` with the output. */
export function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const shown = [command, ...args].join(' ');
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', (error) => reject(new CommandFailed(shown, `did not start: ${error.message}`, output)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new CommandFailed(shown, signal ? `was ended by ${signal}` : `ended with ${code}`, output));
    });
  });
}

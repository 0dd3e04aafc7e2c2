import * as z from 'zod';
import type { BackgroundProcess } from '../../api.ts';
import type { OtherNames } from './argument-names.ts';
import { count } from './text-file.ts';
import type { Tool, ToolContext, ToolResult } from './types.ts';

const input = z.strictObject({
  action: z.enum(['list', 'poll', 'kill']),
  id: z.string().optional().describe('Of the process, for poll and kill.'),
  characters: z
    .int()
    .min(1)
    .max(50_000)
    .default(4_000)
    .describe('Most characters of output for poll; the newest are given.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  process_id: 'id',
  task_id: 'id',
  bash_id: 'id',
  shell_id: 'id',
  operation: 'action',
  max_characters: 'characters',
};
type Input = z.infer<typeof input>;

export function processTool(): Tool<Input> {
  return {
    name: 'process',
    description: 'Lists the background processes of this session, polls one for state and newest output, or ends one.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'barrier',
    subject: ({ action, id = '' }) => {
      if (action === 'list') return { verb: 'listProcesses', object: '' };
      return { verb: action === 'poll' ? 'pollProcess' : 'endProcess', object: id };
    },
    permission: async () => undefined,
    async run({ action, id, characters }, { processes }) {
      if (action === 'list') return list(processes.list());
      const one = processes.list().find((process) => process.id === id);
      if (!one) {
        const ids = processes.list().map((process) => process.id);
        return {
          status: 'error',
          text: `There is no process "${id ?? ''}". ${ids.length > 0 ? `Known: ${ids.join(', ')}.` : 'None was started.'}`,
        };
      }
      return action === 'poll' ? poll(one, processes.output(one.id) ?? '', characters) : await kill(one, processes);
    },
  };
}

function list(processes: readonly BackgroundProcess[]): ToolResult {
  const text = processes.length === 0 ? 'No background processes.' : processes.map(line).join('\n');
  return { status: 'success', text, detail: count(processes.length, 'process').replace('processs', 'processes') };
}

function poll(one: BackgroundProcess, output: string, characters: number): ToolResult {
  const cut = output.length > characters;
  const text = output === '' ? '[no output yet]' : `${cut ? '[…]\n' : ''}${output.slice(-characters)}`;
  return { status: 'success', text: `${line(one)}\n${text}`, detail: stateOf(one) };
}

async function kill(one: BackgroundProcess, processes: ToolContext['processes']): Promise<ToolResult> {
  if (one.state === 'exited' || one.state === 'killed')
    return { status: 'success', text: `It had ended already.\n${line(one)}`, detail: stateOf(one) };
  const { survivors } = await processes.kill(one.id);
  if (survivors.length === 0)
    return { status: 'success', text: `Ended ${one.id} and all that it had started.`, detail: 'ended' };
  const names = survivors.map(({ pid, command }) => `${pid} (${command})`).join(', ');
  return { status: 'error', text: `These processes could not be ended: ${names}.`, survivors };
}

function line(one: BackgroundProcess): string {
  return `${one.id} · pid ${one.pid} · ${stateOf(one)} · ${one.command}`;
}

function stateOf({ state, exitCode }: BackgroundProcess): string {
  return state === 'exited' && exitCode !== undefined ? `exit ${exitCode}` : state;
}

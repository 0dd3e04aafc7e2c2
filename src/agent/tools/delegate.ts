import * as z from 'zod';
import type { OtherNames } from './argument-names.ts';
import type { Order, Tool } from './types.ts';

export const DELEGATE = 'delegate';

/** The arguments of a call. */
export const orderSchema = z.object({
  name: z.string().trim().min(1).max(40).describe('Two or three words for the work, which the user sees.'),
  task: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .describe('All that the agent is told; it sees nothing of this conversation.'),
  agent: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe('An agent with a role, by the name that your instructions list. Leave it out for one without.'),
  background: z.boolean().default(false).describe('Returns at once; the end is told to you later.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  prompt: 'task',
  instructions: 'task',
  description: 'name',
  title: 'name',
  subagent_type: 'agent',
  agent_type: 'agent',
  agent_name: 'agent',
  run_in_background: 'background',
};

export function delegateTool(): Tool<Order> {
  return {
    name: DELEGATE,
    description:
      'Gives a task to another agent with a fresh context and the same tools, and returns its report. Calls in one answer work side by side.',
    input: orderSchema.strict(),
    otherNames: OTHER_NAMES,
    overlap: 'parallel',
    longRunning: true,
    agentName: ({ name }) => name,
    subject: ({ name, background }) => ({ verb: background ? 'delegateInBackground' : 'delegate', object: name }),
    // The agent asks for what it does itself.
    permission: async () => undefined,
    async run(order, { delegates, ...call }) {
      if (delegates) return await delegates.delegate(order, call);
      return { status: 'error', text: 'A delegated agent does not delegate further: do the work yourself.' };
    },
  };
}

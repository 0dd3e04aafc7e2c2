import * as z from 'zod';
import type { Todo, Tool } from './types.ts';

const input = z.object({
  items: z
    .array(
      z.object({
        id: z.string().min(1).max(64),
        content: z.string().min(1).max(4000),
        status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
      }),
    )
    .max(256)
    .optional()
    .describe('The whole new list. Leave it out to read the list.'),
});

export function todoTool(): Tool<z.infer<typeof input>> {
  return {
    name: 'todo',
    description: 'Keeps the list of steps of the task, which the user sees. Use it for work of three steps or more.',
    input,
    overlap: 'barrier',
    label: ({ items }) => (items === undefined ? 'Read the task list' : 'Updated the task list'),
    permission: async () => undefined,
    async run({ items }, { todos }) {
      const twice = items?.find((item, index) => items.findIndex((other) => other.id === item.id) < index);
      if (twice) return { status: 'error', text: `Two items have the id "${twice.id}". The list is as it was.` };
      if (items !== undefined && JSON.stringify(items) !== JSON.stringify(todos.get())) todos.set(items);
      const list = todos.get();
      const done = list.filter((item) => item.status === 'completed').length;
      return {
        status: 'success',
        text: list.length === 0 ? 'The list is empty.' : list.map(line).join('\n'),
        detail: `${done} of ${list.length} done`,
      };
    },
  };
}

const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]', cancelled: '[-]' } as const;

function line({ id, content, status }: Todo): string {
  return `${MARKS[status]} ${id}: ${content}`;
}

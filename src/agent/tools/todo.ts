import * as z from 'zod';
import type { OtherNames } from './argument-names.ts';
import type { Todo, Tool } from './types.ts';

const input = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(64),
        content: z.string().min(1).max(4000),
        status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
      }),
    )
    .max(256)
    .optional()
    .describe('The whole new list. Leave it out to read the list.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  todos: { to: 'items', as: ownItems },
  tasks: { to: 'items', as: ownItems },
  plan: { to: 'items', as: ownItems },
  list: { to: 'items', as: ownItems },
};

/** Other programs' lists number their items by their place, and have a second wording of each. */
function ownItems(list: unknown): unknown {
  if (!Array.isArray(list)) return undefined;
  return list.map((item: unknown, index) => {
    if (typeof item !== 'object' || item === null) return item;
    const { activeForm: _, id = String(index + 1), ...rest } = item as Record<string, unknown>;
    return { id: String(id), ...rest };
  });
}

export function todoTool(): Tool<z.infer<typeof input>> {
  return {
    name: 'todo',
    description: 'Keeps the list of steps of the task, which the user sees. Use it for work of three steps or more.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'barrier',
    subject: ({ items }) => ({
      verb: items === undefined ? 'readPlan' : 'plan',
      object: '',
      ...(items && { steps: items.map(({ content, status }) => ({ content, status })) }),
    }),
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

import { visibleLine } from '../../src/words/visible-text.ts';
import { t } from '../l10n.ts';
import { fieldsOf } from '../state/call-label.ts';
import { Icon } from './icon.tsx';

interface Todo {
  readonly content: string;
  readonly status: string;
}

/** The plan as it stood at that call. */
export function TodoList({ todos }: { readonly todos: readonly Todo[] }) {
  return (
    <ul class="todos" aria-label={t('Plan')}>
      {todos.map((todo, index) => (
        <li key={index} class={todo.status}>
          <Icon name={icons[todo.status] ?? 'circle-large'} />
          <span>{visibleLine(todo.content)}</span>
        </li>
      ))}
    </ul>
  );
}

const icons: Readonly<Record<string, string>> = {
  pending: 'circle-large',
  in_progress: 'arrow-circle-right',
  completed: 'pass',
  cancelled: 'circle-slash',
};

/** The model's own input, so nothing about it is sure. */
export function todosOf(input: unknown): readonly Todo[] | undefined {
  const list = fieldsOf('todo', input).items;
  if (!Array.isArray(list)) return undefined;
  const todos = list.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null || !('content' in one) || typeof one.content !== 'string') return [];
    const status = 'status' in one && typeof one.status === 'string' ? one.status : 'pending';
    return [{ content: one.content, status }];
  });
  return todos.length > 0 ? todos : undefined;
}

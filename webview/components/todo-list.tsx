import type { PlanStep } from '../../src/api.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { t } from '../l10n.ts';
import { Icon } from './icon.tsx';

/** The plan as it stood at that call. */
export function TodoList({ steps }: { readonly steps: readonly PlanStep[] }) {
  return (
    <ul class="todos" aria-label={t('Plan')}>
      {steps.map((step, index) => (
        <li key={index} class={step.status} dir="auto">
          <Icon name={icons[step.status]} />
          <span>{visibleLine(step.content)}</span>
        </li>
      ))}
    </ul>
  );
}

const icons: Readonly<Record<PlanStep['status'], string>> = {
  pending: 'circle-large',
  in_progress: 'arrow-circle-right',
  completed: 'pass',
  cancelled: 'circle-slash',
};

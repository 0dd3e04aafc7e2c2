import { useRef, useState } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import type { ReasoningEntry } from '../state/entries.ts';
import { duration, elapsed } from '../state/words.ts';
import { Markdown } from './assistant-text.tsx';
import { Icon } from './icon.tsx';
import { useNow } from './use-now.ts';

/** A thought that was quicker than this (ms) does not say how long it took. */
const worthTelling = 1_000;

/** What the model thought, behind one line that says for how long. */
export function Reasoning({ entry }: { readonly entry: ReasoningEntry }) {
  const [open, setOpen] = useState(false);
  const { words } = useThinkingTime(entry.streaming);
  return (
    <div class={`line-card reasoning ${open ? 'open' : ''}`} data-testid={testIds.reasoning}>
      <button type="button" class="card-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={entry.streaming ? 'loading' : 'lightbulb'} class={entry.streaming ? 'codicon-modifier-spin' : ''} />
        <span class="card-label">{words}</span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} class="chevron" />
      </button>
      {open && (
        <div class="card-body">
          <Markdown text={entry.text} complete={!entry.streaming} />
        </div>
      )}
    </div>
  );
}

/** Seen while it happened, it has a duration; of a stored answer nobody knows it. */
function useThinkingTime(streaming: boolean): { readonly words: string } {
  const now = useNow(streaming);
  const started = useRef(streaming ? Date.now() : undefined);
  const took = useRef<number | undefined>(undefined);
  if (started.current === undefined) return { words: t('Thought') };
  if (streaming) return { words: t('Thinking · {0}', elapsed(now - started.current)) };
  took.current ??= Date.now() - started.current;
  return { words: took.current < worthTelling ? t('Thought') : t('Thought for {0}', duration(took.current)) };
}

import { useRef, useState } from 'preact/hooks';
import type { Item } from '../../src/api.ts';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { plural, t } from '../l10n.ts';
import type { Outgoing } from '../state/chat-state.ts';
import { TextButton } from './button.tsx';
import { Chip, OutgoingChip } from './chip.tsx';
import { ReturnedChip } from './returned-chip.tsx';
import { useSlice } from './use-slice.ts';

/** Everything that was sent and has not been read: what it is, and what it waits for. Nothing waits, nothing is shown. */
export function Shelf() {
  const items = useSlice((state) => state.items);
  const outgoing = useSlice((state) => state.outgoing).filter((sent) => sent.place === 'shelf');
  const pending = items.filter((item) => item.state.is === 'pending');
  const held = items.filter((item) => item.state.is === 'held');
  const returned = items.filter((item) => item.state.is === 'returned');
  if (items.length === 0 && outgoing.length === 0) return null;
  return (
    <section class="shelf" data-testid={testIds.shelf} aria-label={t('Waiting')}>
      {pending.length + outgoing.length > 0 && <Chips items={pending} outgoing={outgoing} />}
      {held.length > 0 && <Held items={held} />}
      {returned.map((item) => (
        <ReturnedChip key={item.id} item={item} />
      ))}
    </section>
  );
}

function Held({ items }: { readonly items: readonly Item[] }) {
  const chat = useChat();
  return (
    <div class="held" data-testid={testIds.held}>
      <div class="shelf-head">
        <span>{plural(items.length, '{0} text held, not sent', '{0} texts held, not sent')}</span>
        <TextButton look="link" testId={testIds.resumeQueue} onClick={() => chat.do({ verb: 'resumeQueue' })}>
          {t('Resume queue')}
        </TextButton>
      </div>
      <Chips items={items} outgoing={[]} />
    </div>
  );
}

interface ChipsProps {
  readonly items: readonly Item[];
  readonly outgoing: readonly Outgoing[];
}

/** The order can be changed by dragging and, on each chip, by Alt+Up and Alt+Down. */
function Chips({ items, outgoing }: ChipsProps) {
  const chat = useChat();
  const dragged = useRef<string | undefined>(undefined);
  const [over, setOver] = useState<string | undefined>(undefined);

  const moveTo = (id: string, index: number) => {
    const others = items.filter((item) => item.id !== id);
    const before = others[index]?.id;
    chat.do({ verb: 'move', id, ...(before !== undefined && { before }) });
  };
  const drop = (target: Item) => {
    const id = dragged.current;
    setOver(undefined);
    if (id !== undefined && id !== target.id) chat.do({ verb: 'move', id, before: target.id });
  };

  return (
    <ul class="chips">
      {items.map((item, index) => (
        <Chip
          key={item.id}
          item={item}
          movable={items.length > 1}
          dropTarget={over === item.id}
          move={(by) => {
            const to = index + by;
            if (to >= 0 && to < items.length) moveTo(item.id, to);
          }}
          drag={{
            start: () => {
              dragged.current = item.id;
            },
            over: () => setOver(item.id),
            drop: () => drop(item),
            end: () => {
              dragged.current = undefined;
              setOver(undefined);
            },
          }}
        />
      ))}
      {outgoing.map((sent) => (
        <OutgoingChip key={sent.id} sent={sent} />
      ))}
    </ul>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { SlashEntry } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { keepEscape } from '../keys.ts';
import { findSlash, mostShown, slashQuery } from '../state/slash.ts';
import { useSlice } from './use-slice.ts';

export interface SlashMenuState {
  /** Empty while no list is open. */
  readonly found: readonly SlashEntry[];
  /** How many more fit. */
  readonly more: number;
  readonly active: SlashEntry | undefined;
  /** True when it took the key. */
  onKey(event: KeyboardEvent): boolean;
  choose(entry: SlashEntry): void;
  close(): void;
}

/** The list of slash commands that opens at a `/` in an empty composer. The field keeps the focus and gives it the keys. */
export function useSlashMenu(): SlashMenuState {
  const chat = useChat();
  const commands = useSlice((state) => state.slashCommands);
  const readOnly = useSlice((state) => state.session.readOnly !== undefined);
  const [closed, setClosed] = useState(false);
  const [at, setAt] = useState<string | undefined>(undefined);
  const draft = chat.draft.value;
  const query = readOnly ? undefined : slashQuery(draft);
  const typing = query !== undefined;

  useEffect(() => {
    setClosed(false);
    setAt(undefined);
    if (typing) chat.host.notify({ type: 'listSlashCommands' });
  }, [typing, chat]);

  const fitting = query === undefined || closed ? [] : findSlash(commands ?? [], query);
  const found = fitting.slice(0, mostShown);
  // What was chosen last may be gone from a narrower search.
  const active = found.find(({ name }) => name === at) ?? found[0];

  const write = (entry: SlashEntry) => chat.setDraft(`/${entry.name} `);
  const choose = (entry: SlashEntry) => {
    if (entry.kind === 'builtin') chat.runSlashCommand(`/${entry.name}`);
    else write(entry);
    chat.composerFocus.value++;
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (!active || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const step = event.key === 'ArrowDown' ? 1 : -1;
        setAt(found[(found.indexOf(active) + step + found.length) % found.length]?.name);
        break;
      }
      case 'Tab':
        write(active);
        break;
      case 'Enter':
        // Its whole name stands there: Enter means what it always does.
        if (active.kind !== 'builtin' && draft.toLowerCase() === `/${active.name}`.toLowerCase()) return false;
        choose(active);
        break;
      case 'Escape':
        setClosed(true);
        keepEscape(event);
        return true;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { found, more: fitting.length - found.length, active, onKey, choose, close: () => setClosed(true) };
}

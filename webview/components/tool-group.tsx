import { useState } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { plural } from '../l10n.ts';
import type { GroupEntry } from '../state/entries.ts';
import { Icon } from './icon.tsx';
import { ToolCard } from './tool-card.tsx';

/** Reads in a row, as one line. */
export function ToolGroup({ entry, controls = true }: { readonly entry: GroupEntry; readonly controls?: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <div class={`line-card group ${open ? 'open' : ''}`} data-testid={testIds.toolGroup}>
      <div class="card-row">
        <button type="button" class="card-line" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="files" />
          <span class="card-label">{groupWords(entry)}</span>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} class="chevron" />
        </button>
      </div>
      {open && (
        <div class="group-body">
          {entry.tools.map((tool) => (
            <ToolCard key={tool.key} entry={tool} controls={controls} />
          ))}
        </div>
      )}
    </div>
  );
}

function groupWords({ tools }: GroupEntry): string {
  const count = (name: string) => tools.filter((tool) => tool.name === name).length;
  const words = [
    plural(count('read_file'), 'Read {0} file', 'Read {0} files'),
    plural(count('search_files'), 'Searched once', 'Searched {0} times'),
    plural(count('list_files'), 'Listed once', 'Listed {0} times'),
  ].filter((_, index) => count(['read_file', 'search_files', 'list_files'][index] ?? '') > 0);
  return words
    .map((part, index) => (index === 0 ? part : part.charAt(0).toLocaleLowerCase() + part.slice(1)))
    .join(', ');
}

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

/** Files, searches and lists, each counted as what it says: two reads of one file have read one file. */
function groupWords({ tools }: GroupEntry): string {
  const of = (name: string) => tools.filter((tool) => tool.name === name);
  const reads = of('read_file');
  const files = new Set(reads.map(({ path, key }) => (path === undefined ? key : samePath(path)))).size;
  const [searches, lists] = [of('search_files').length, of('list_files').length];
  return [
    files > 0 ? plural(files, 'Read {0} file', 'Read {0} files') : undefined,
    searches > 0 ? plural(searches, 'Searched once', 'Searched {0} times') : undefined,
    lists > 0 ? plural(lists, 'Listed once', 'Listed {0} times') : undefined,
  ]
    .filter((part) => part !== undefined)
    .map((part, index) => (index === 0 ? part : part.charAt(0).toLocaleLowerCase() + part.slice(1)))
    .join(', ');
}

/** `./src/a.ts`, `src//a.ts` and `src\\a.ts` are one file. */
function samePath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part, index) => part !== '.' && (part !== '' || index === 0))
    .join('/');
}

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import { StreamingMarkdown } from '../markdown/streaming-markdown.ts';
import type { TextEntry } from '../state/entries.ts';

export function AssistantText({ entry }: { readonly entry: TextEntry }) {
  return (
    <article
      class="assistant-text"
      data-message
      data-testid={testIds.assistantText}
      tabIndex={-1}
      aria-label={t('Midcourse')}
      aria-busy={entry.streaming}
    >
      <Markdown text={entry.text} complete={!entry.streaming} />
      {entry.interrupted && <p class="cut-mark">{cutWords(entry.interrupted)}</p>}
    </article>
  );
}

/** Rendered markdown. Only what is new is drawn, so the component never gives its element other children. */
export function Markdown({ text, complete }: { readonly text: string; readonly complete: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  const view = useRef<StreamingMarkdown | undefined>(undefined);
  useLayoutEffect(() => {
    if (!root.current) return;
    view.current ??= new StreamingMarkdown(root.current);
    view.current.update(text, complete);
  }, [text, complete]);
  useEffect(() => () => view.current?.dispose(), []);
  return <div class="markdown" ref={root} />;
}

function cutWords(interrupted: NonNullable<TextEntry['interrupted']>): string {
  switch (interrupted) {
    case 'stop':
      return t('cut by the stop');
    case 'redirect':
      return t('cut by your redirect');
    case 'reload':
      return t('cut by a reload');
    case 'stream_cut':
      return t('cut: the connection broke off');
    default:
      return interrupted satisfies never;
  }
}

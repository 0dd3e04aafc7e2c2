import { useState } from 'preact/hooks';
import { cardControls, toolCardId } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { callIcon } from '../state/call-label.ts';
import type { ToolEntry } from '../state/entries.ts';
import { duration, elapsed, statusWords } from '../state/words.ts';
import { TextButton } from './button.tsx';
import { HookLine } from './hook-words.tsx';
import { Icon } from './icon.tsx';
import { TodoList } from './todo-list.tsx';
import { ToolBody } from './tool-body.tsx';
import { useNow } from './use-now.ts';
import { Visible } from './visible.tsx';

/** Calls quicker than this (ms) do not say how long they took. */
const worthTelling = 1_000;
/** Lines of a running command's output that stand under its line. */
const tailLines = 5;

interface ToolCardProps {
  readonly entry: ToolEntry;
  /** False inside the card of an agent: the host knows the calls of the conversation only. */
  readonly controls?: boolean;
}

export function ToolCard({ entry, controls = true }: ToolCardProps) {
  const chat = useChat();
  const [open, setOpen] = useState(false);
  const label = visibleLine(entry.label);
  const running = entry.state === 'running';
  return (
    <div class={`line-card tool ${entry.state} ${open ? 'open' : ''}`} data-testid={toolCardId(entry.callId)}>
      <div class="card-row">
        <button
          type="button"
          class="card-line"
          aria-expanded={open}
          data-testid={cardControls.toggle}
          onClick={() => setOpen(!open)}
        >
          <ToolIcon entry={entry} />
          <span class="card-label" title={label}>
            {label}
          </span>
          <ToolMarks entry={entry} />
          <Icon name={open ? 'chevron-down' : 'chevron-right'} class="chevron" />
        </button>
        {controls && entry.hasDiff && (
          <button
            type="button"
            class="icon-button codicon codicon-diff"
            title={t('Open the change in the diff editor')}
            aria-label={t('Open the change in the diff editor')}
            data-testid={cardControls.openDiff}
            onClick={() => chat.host.notify({ type: 'openDiff', of: { callId: entry.callId } })}
          />
        )}
      </div>
      {!open && <HookLine entry={entry} />}
      {entry.steps && entry.steps.length > 0 && !open && <TodoList steps={entry.steps} />}
      {running && !open && entry.output !== '' && (
        <pre class="output-tail" data-testid={cardControls.output}>
          <Visible text={lastLines(entry.output)} />
        </pre>
      )}
      {controls && running && entry.name === 'terminal' && <CommandControls callId={entry.callId} />}
      {open && <ToolBody entry={entry} controls={controls} />}
    </div>
  );
}

function CommandControls({ callId }: { readonly callId: string }) {
  const chat = useChat();
  return (
    <div class="command-controls">
      <TextButton
        look="link"
        testId={cardControls.stopCommand}
        onClick={() => chat.host.notify({ type: 'stopCommand', callId })}
      >
        {t('Stop command')}
      </TextButton>
      <TextButton
        look="link"
        testId={cardControls.moveToBackground}
        onClick={() => chat.host.notify({ type: 'moveToBackground', callId })}
      >
        {t('Move to background')}
      </TextButton>
    </div>
  );
}

function ToolIcon({ entry }: { readonly entry: ToolEntry }) {
  switch (entry.state) {
    case 'running':
      return <Icon name="loading" class="codicon-modifier-spin" />;
    case 'error':
    case 'timeout':
    case 'abandoned':
      return <Icon name="error" class="failed" />;
    case 'blocked':
    case 'denied':
      return <Icon name="circle-slash" />;
    case 'stopped':
      return <Icon name="stop-circle" />;
    default:
      return <Icon name={callIcon(entry.name)} />;
  }
}

/** What stands at the right end: how it ended, and how long it took or takes. */
function ToolMarks({ entry }: { readonly entry: ToolEntry }) {
  const now = useNow(entry.startedAt !== undefined);
  const marks = [
    ...(entry.detail ? [visibleDetail(entry.detail)] : []),
    ...(entry.startedAt !== undefined ? [elapsed(now - entry.startedAt)] : []),
    ...(entry.durationMs !== undefined && entry.durationMs >= worthTelling ? [duration(entry.durationMs)] : []),
  ];
  const words = stateWords(entry);
  const status = words && entry.detail?.startsWith(words) ? undefined : words;
  if (marks.length === 0 && !status) return null;
  return (
    <span class="card-marks">
      {marks.join(' · ')}
      {status && <span class="card-status">{status}</span>}
    </span>
  );
}

/** The lines that an edit counts are ours, minus sign and all; whatever else stands there may be of others. */
function visibleDetail(detail: string): string {
  return /^\+\d+ \u2212\d+$/.test(detail) ? detail : visibleLine(detail);
}

function stateWords({ state }: ToolEntry): string | undefined {
  switch (state) {
    case 'announced':
      return t('being written');
    case 'waiting':
      return t('waiting');
    case 'approval':
    case 'question':
      return t('needs you');
    case 'running':
      return undefined;
    default:
      return statusWords(state);
  }
}

function lastLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-tailLines).join('\n');
}

import { cardControls } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { plural, t } from '../l10n.ts';
import type { ToolEntry } from '../state/entries.ts';
import { TextButton } from './button.tsx';
import { DiffLines } from './diff-lines.tsx';
import { HookWords } from './hook-words.tsx';
import { Visible } from './visible.tsx';

/** Characters of output that an open card shows; the rest is one click away. */
const shownOutput = 6_000;
/** Lines of a diff that an open card shows. */
const shownDiffLines = 60;

/** What an open card holds: what went in, what came out, and the change it made. */
export function ToolBody({ entry, controls }: { readonly entry: ToolEntry; readonly controls: boolean }) {
  const chat = useChat();
  const inputs = inputsOf(entry);
  const cut = entry.output.length - shownOutput;
  return (
    <div class="card-body">
      <HookWords entry={entry} />
      {entry.diff && <DiffLines before={entry.diff.before} after={entry.diff.after} limit={shownDiffLines} />}
      {!entry.diff &&
        inputs.map(([name, value]) => (
          <div key={name} class="input-field">
            <span class="field-name">{visibleLine(name)}</span>
            <pre>
              <Visible text={value} />
            </pre>
          </div>
        ))}
      {entry.output !== '' && (
        <div class="input-field">
          <span class="field-name">{t('output')}</span>
          <pre data-testid={cardControls.output}>
            <Visible text={cut > 0 ? `… ${entry.output.slice(-shownOutput)}` : entry.output} />
          </pre>
        </div>
      )}
      {controls && cut > 0 && (
        <TextButton
          look="link"
          testId={cardControls.openFullOutput}
          onClick={() => chat.host.notify({ type: 'openFullOutput', callId: entry.callId })}
        >
          {plural(cut, 'Open full output ({0} more character)', 'Open full output ({0} more characters)')}
        </TextButton>
      )}
    </div>
  );
}

/** The fields of the call's input as text; what the card's line already says is not said again. */
function inputsOf({ input, label }: ToolEntry): readonly (readonly [string, string])[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
    return text.includes('\n') || !label.includes(text) ? [[name, text] as const] : [];
  });
}

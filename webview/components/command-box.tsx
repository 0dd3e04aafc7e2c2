import { useState } from 'preact/hooks';
import type { PendingApproval } from '../../src/api.ts';
import { cardControls } from '../../src/protocol/index.ts';
import { visibleParts } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { plural, t } from '../l10n.ts';
import { longCommand, ranges, withSecrets } from '../state/command-view.ts';
import { TextButton } from './button.tsx';
import { ScrollBox } from './scroll-box.tsx';
import { HiddenCount, Visible } from './visible.tsx';

type Asked = PendingApproval & { readonly command: string };

/**
 * What will run: every character of it can be read here, its end is in sight however long it is, and what is masked can
 * be shown.
 */
export function CommandBox({ approval }: { readonly approval: Asked }) {
  const chat = useChat();
  const [revealed, setRevealed] = useState<string>();
  const text = withSecrets(approval, revealed);
  const { headEnd, tailStart, lines, leftOut } = longCommand(text);
  const dangerous = ranges(approval.dangers?.flatMap(({ parts }) => parts) ?? [], text.length);
  const secrets = approval.masked?.length ?? 0;
  const open = () => chat.host.notify({ type: 'openCommand', approvalId: approval.id });
  const toggle = () => {
    if (revealed !== undefined) setRevealed(undefined);
    else void chat.revealCommand(approval.id).then(setRevealed);
  };
  return (
    <div class="command-box">
      <ScrollBox class="command" label={plural(lines, 'Command, {0} line', 'Command, {0} lines')}>
        <pre>
          <Visible text={text} dangerous={dangerous} to={headEnd} fold />
        </pre>
      </ScrollBox>
      {tailStart < text.length && (
        <>
          <p class="command-gap">
            {leftOut > 0
              ? t('{0} characters are left out here', leftOut)
              : plural(lines, '{0} line: scroll above; its end:', '{0} lines: scroll above; the end:')}
          </p>
          <pre class="command command-end">
            <Visible text={text} dangerous={dangerous} from={tailStart} fold />
          </pre>
        </>
      )}
      <HiddenCount count={visibleParts(text).marks} />
      <div class="command-tools">
        {secrets > 0 && (
          <TextButton look="link" testId={cardControls.revealSecrets} onClick={toggle}>
            {revealed === undefined
              ? plural(secrets, 'Show the masked word', 'Show {0} masked words')
              : plural(secrets, 'Mask the word again', 'Mask {0} words again')}
          </TextButton>
        )}
        {tailStart < text.length && (
          <TextButton look="link" testId={cardControls.openCommand} onClick={open}>
            {t('Open as a document')}
          </TextButton>
        )}
      </div>
    </div>
  );
}

export function hasCommand(approval: PendingApproval): approval is Asked {
  return approval.command !== undefined;
}

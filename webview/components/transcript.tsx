import { useEffect, useMemo, useRef } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { type Chat, useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import type { Section } from '../state/chat-state.ts';
import { withLive } from '../state/sections.ts';
import { ApprovalCard } from './approval-card.tsx';
import { TextButton } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Icon } from './icon.tsx';
import { moveBetweenMessages } from './message-keys.ts';
import { QuestionCard } from './question-card.tsx';
import { SectionView } from './section-view.tsx';
import { actOnClick } from './transcript-clicks.ts';
import { useFollow } from './use-follow.ts';
import { useSlice } from './use-slice.ts';
import { OutgoingMessage } from './user-message.tsx';

/** Sections at the end that are drawn at once; a long session's others when the view comes near them. */
const drawnAtOnce = 30;
/** Scrolled up this near to the top (px), older rows are asked for. */
const nearTop = 600;

export function Transcript() {
  const chat = useChat();
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sections = useSections();
  const outgoing = useSlice((state) => state.outgoing);
  const approvals = useSlice((state) => state.approvals);
  const questions = useSlice((state) => state.questions);
  const hasOlder = useSlice((state) => state.hasOlder);
  const sessionId = useSlice((state) => state.session.id);
  const known = useSlice((state) => state.seq >= 0);
  const messages = outgoing.filter((sent) => sent.place === 'transcript');
  const empty = sections.length === 0 && messages.length === 0;
  const { atEnd, toEnd } = useFollow(box, content, sessionId, empty);
  const mine = outgoing.at(-1)?.id;
  // Who sends something wants to see it.
  useEffect(() => {
    if (mine !== undefined) toEnd();
  }, [mine, toEnd]);

  return (
    <div class="transcript-frame">
      <div
        class="transcript"
        ref={box}
        role="log"
        aria-live="off"
        aria-label={t('Conversation')}
        data-testid={testIds.transcript}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between its messages
        tabIndex={0}
        onClick={(event) => actOnClick(event, chat)}
        onKeyDown={(event) => moveBetweenMessages(event, box.current)}
        onScroll={(event) => onScroll(event.currentTarget, chat)}
      >
        <div ref={content} class="transcript-content">
          {known && empty && <EmptyState />}
          {hasOlder && (
            <div class="older">
              <TextButton look="link" testId="load-older" onClick={() => chat.loadOlder()}>
                {t('Show earlier messages')}
              </TextButton>
            </div>
          )}
          {sections.map((section, index) => (
            <SectionView
              key={section.key}
              section={section}
              isLast={index === sections.length - 1}
              endsTurn={endsTurn(sections, index)}
              eager={index >= sections.length - drawnAtOnce}
            />
          ))}
          {messages.map((sent) => (
            <OutgoingMessage key={sent.id} text={sent.text} images={sent.images} />
          ))}
          {approvals.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} />
          ))}
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
        </div>
      </div>
      {!atEnd && !empty && (
        <button type="button" class="jump" data-testid={testIds.jumpToLatest} onClick={toEnd}>
          <Icon name="arrow-down" /> {t('Jump to latest')}
        </button>
      )}
    </div>
  );
}

function onScroll(box: HTMLElement, chat: Chat): void {
  if (box.scrollTop >= nearTop) return;
  // At the very top the browser keeps nothing in place when older messages come in above.
  if (box.scrollTop === 0 && chat.state.peek().hasOlder) box.scrollTop = 1;
  chat.loadOlder();
}

/** Looks at where the answer being written belongs, not at its text, so that a letter does not wake the whole list. */
function useSections(): readonly Section[] {
  const stored = useSlice((state) => state.sections);
  const turnId = useSlice((state) => state.live?.turnId);
  const request = useSlice((state) => state.live?.request);
  return useMemo(
    () => (turnId === undefined ? stored : withLive(stored, { turnId, request: request ?? 0 })),
    [stored, turnId, request],
  );
}

function endsTurn(sections: readonly Section[], index: number): boolean {
  return sections[index]?.turnId !== sections[index + 1]?.turnId;
}

import { useState } from 'preact/hooks';
import type { PendingQuestion } from '../../src/api.ts';
import { cardControls, questionCardId } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { belongsToComposition, keepEscape } from '../keys.ts';
import { t } from '../l10n.ts';
import { Markdown } from './assistant-text.tsx';
import { TextButton } from './button.tsx';
import { CardKey } from './card-key.tsx';
import { Icon } from './icon.tsx';
import { useCard } from './use-card.ts';
import { useKeptText } from './use-kept-text.ts';

export function QuestionCard({ question }: { readonly question: PendingQuestion }) {
  const chat = useChat();
  const { card, entered, answered } = useCard();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [text, setText] = useState('');
  const typed = useKeptText();
  const answer = (given: string | readonly string[]) => {
    const words = text.trim();
    typed.current = '';
    answered();
    chat.answerQuestion(question.id, given, words === '' ? undefined : words);
  };
  const choose = (id: string) => {
    if (!question.multiple) answer([id]);
    else setChosen((was) => (was.includes(id) ? was.filter((other) => other !== id) : [...was, id]));
  };
  const submit = () => {
    if (text.trim() !== '') answer(text.trim());
    else if (chosen.length > 0) answer(chosen);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (belongsToComposition(event)) return;
    if (event.key === 'Escape') {
      keepEscape(event);
      chat.focus.toComposer();
      return;
    }
    if (!entered || event.repeat || event.target instanceof HTMLInputElement) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = question.choices[Number(event.key) - 1];
    if (!choice || !/^[1-9]$/.test(event.key)) return;
    event.preventDefault();
    choose(choice.id);
  };

  return (
    <article
      ref={card}
      class={`ask-card question ${entered ? 'entered' : ''}`}
      data-message
      data-asks
      data-testid={questionCardId(question.callId)}
      tabIndex={-1}
      aria-label={t('Asks you: {0}', question.text)}
      onKeyDown={onKeyDown}
    >
      <h2>
        <Icon name="question" />
        <span>{t('A question for you')}</span>
        <CardKey />
      </h2>
      <Markdown text={question.text} complete />
      {question.choices.length > 0 && (
        <fieldset class="choices" aria-label={t('Answers')}>
          {question.choices.map((choice, index) => (
            <button
              key={choice.id}
              type="button"
              class="choice"
              data-testid={cardControls.choice}
              aria-pressed={question.multiple ? chosen.includes(choice.id) : undefined}
              onClick={() => choose(choice.id)}
            >
              {index < 9 && <kbd>{index + 1}</kbd>}
              {question.multiple && <Icon name={chosen.includes(choice.id) ? 'pass-filled' : 'circle-large'} />}
              <span>{visibleLine(choice.label)}</span>
            </button>
          ))}
        </fieldset>
      )}
      {(question.freeText || question.multiple) && (
        <div class="free-text">
          {question.freeText && (
            <input
              type="text"
              class="field"
              data-testid={cardControls.questionText}
              data-entry={question.choices.length === 0 ? '' : undefined}
              placeholder={question.choices.length > 0 ? t('Or in your own words') : t('Your answer')}
              aria-label={t('Your answer')}
              value={text}
              onInput={(event) => {
                typed.current = event.currentTarget.value;
                setText(event.currentTarget.value);
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && !belongsToComposition(event)) submit();
              }}
            />
          )}
          <TextButton
            look="primary"
            testId={cardControls.questionSubmit}
            disabled={text.trim() === '' && chosen.length === 0}
            onClick={submit}
          >
            {t('Answer')}
          </TextButton>
        </div>
      )}
    </article>
  );
}

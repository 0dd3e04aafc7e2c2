import { Fragment } from 'preact';
import type { TurnResult } from '../../src/api.ts';
import { type AllowedCommand, allowedCommands, testIds } from '../../src/protocol/index.ts';
import { visibleLine, visibleText } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { plural, t } from '../l10n.ts';
import { memo } from '../memo.ts';
import { outcomeWords, turnSummary } from '../state/words.ts';
import { IconButton, TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useSlice } from './use-slice.ts';

/** The last line of a turn: what it took, and, where it did not simply answer, what happened and what to do next. */
export const TurnEnd = memo(({ result }: { readonly result: TurnResult }) => {
  const chat = useChat();
  const isLast = useSlice(({ state, sections }) => state.state === 'idle' && sections.at(-1)?.turnId === result.turnId);
  const last = useSlice(({ session }) => session.readOnly === undefined) && isLast;
  const run = (command: AllowedCommand) => chat.host.notify({ type: 'runCommand', command });
  return (
    <footer class="turn-end" data-testid={testIds.turnEnd}>
      <Outcome result={result} last={last} />
      <div class="turn-facts">
        <span>
          {turnSummary(result).map((fact, index) => (
            <Fragment key={fact}>
              {index > 0 && ' · '}
              <span class="turn-fact">{fact}</span>
            </Fragment>
          ))}
        </span>
        {last && (
          <IconButton
            icon="refresh"
            label={t('Retry: ask again with the same message')}
            testId={testIds.turnRetry}
            onClick={() => run('midcourse.retryTurn')}
          />
        )}
        {result.finalText.trim() !== '' && (
          <IconButton
            icon="copy"
            label={t('Copy this answer')}
            testId={testIds.copyAnswer}
            onClick={() => chat.host.notify({ type: 'copy', text: result.finalText })}
          />
        )}
      </div>
    </footer>
  );
});

function Outcome({ result, last }: { readonly result: TurnResult; readonly last: boolean }) {
  const chat = useChat();
  const offers = useSlice(({ settings }) => settings?.offersContinue ?? true);
  const mayContinue = offers || result.exitReason !== 'interrupted_by_reload';
  const words = outcomeWords(result);
  if (words === undefined) return null;
  return (
    <div
      class={`outcome ${result.failed ? 'failed' : 'stopped'}`}
      data-testid={result.failed ? testIds.turnFailed : testIds.turnStopped}
    >
      <Icon name={result.failed ? 'error' : result.interrupted ? 'stop-circle' : 'info'} />
      <div class="outcome-words">
        <p>
          {visibleText(words)}
          {last && mayContinue && !result.completed && !result.failed && (
            <>
              {' '}
              <TextButton
                look="link"
                testId={testIds.turnContinue}
                onClick={() => chat.host.notify({ type: 'runCommand', command: 'midcourse.continueTurn' })}
              >
                {t('Continue')}
              </TextButton>
            </>
          )}
        </p>
        {result.survivors.length > 0 && (
          <div class="survivors">
            {plural(
              result.survivors.length,
              'One process could not be ended and still runs:',
              '{0} processes could not be ended and still run:',
            )}
            <ul>
              {result.survivors.map((process) => (
                <li key={process.pid}>
                  <code>{visibleLine(process.command)}</code> {t('(process {0})', process.pid)}
                </li>
              ))}
            </ul>
          </div>
        )}
        <NextStep action={result.error?.action} />
      </div>
    </div>
  );
}

function NextStep({ action }: { readonly action: string | undefined }) {
  const chat = useChat();
  const command = allowedCommands.find((known) => known === action);
  if (!command) return null;
  return (
    <TextButton
      look="primary"
      testId={testIds.turnAction}
      onClick={() => chat.host.notify({ type: 'runCommand', command })}
    >
      {actionWords[command]()}
    </TextButton>
  );
}

const actionWords: Readonly<Record<AllowedCommand, () => string>> = {
  'midcourse.setApiKey': () => t('Set API key'),
  'midcourse.selectModel': () => t('Select another model'),
  'midcourse.selectEffort': () => t('Choose the effort'),
  'midcourse.testConnection': () => t('Test connection'),
  'midcourse.startPractice': () => t('Try the practice model'),
  'midcourse.showLog': () => t('Show log'),
  'midcourse.openSettings': () => t('Open settings'),
  'midcourse.showProcesses': () => t('Show processes'),
  'midcourse.openInEditor': () => t('Open chat in editor'),
  'midcourse.openDataFolder': () => t('Open data folder'),
  'midcourse.searchSessions': () => t('Search sessions'),
  'midcourse.manageApprovals': () => t('Manage approvals'),
  'midcourse.manageHooks': () => t('Show hooks'),
  'midcourse.compact': () => t('Compact the conversation'),
  'midcourse.takeOverSession': () => t('Take over'),
  'midcourse.stopEverything': () => t('Stop everything'),
  'midcourse.newSession': () => t('Start a new session'),
  'midcourse.continueTurn': () => t('Continue'),
  'midcourse.retryTurn': () => t('Retry'),
  'workbench.trust.manage': () => t('Manage workspace trust'),
  'vscode.openFolder': () => t('Open a folder'),
};

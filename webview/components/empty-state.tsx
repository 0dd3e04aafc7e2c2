import { type AllowedCommand, allowedCommands, testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { defaultKeys } from '../keys.ts';
import { t } from '../l10n.ts';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useSlice } from './use-slice.ts';

const shownSuggestions = 3;

/** One sentence, a way to a model, three tasks that fit this workspace, the three keys worth knowing. */
export function EmptyState() {
  const chat = useChat();
  const { suggestions, modelHint } = useSlice((state) => state.welcome);
  const toolsOff = useSlice((state) => state.workspace.toolsOff);
  const hasModel = useSlice((state) => state.model.ref !== '');
  return (
    <div class="empty" data-testid={testIds.empty}>
      <p class="lead">{t('A coding agent that you can correct while it works.')}</p>
      {toolsOff !== undefined && !modelHint.text.includes(toolsOff) && (
        <p class="tools-off">
          <Icon name="shield" />
          {toolsOff}
        </p>
      )}
      {suggestions.length > 0 && (
        <ul class="suggestions" aria-label={t('Tasks to start with')}>
          {suggestions.slice(0, shownSuggestions).map((suggestion) => (
            <li key={suggestion.title}>
              <button
                type="button"
                data-testid={testIds.suggestion}
                title={suggestion.prompt}
                onClick={() => chat.insertDraft(suggestion.prompt)}
              >
                <span class="suggestion-title">{suggestion.title}</span>
                <span class="suggestion-prompt">{suggestion.prompt}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {modelHint.text !== '' && (
        <div class={`model-hint ${hasModel ? '' : 'missing'}`}>
          <p>{modelHint.text}</p>
          <div class="hint-actions">
            {modelHint.actions.map((action) => {
              const command = allowedCommand(action.command);
              return (
                command && (
                  <TextButton
                    key={action.command}
                    look={hasModel ? 'link' : 'secondary'}
                    testId={`hint-${action.command}`}
                    onClick={() => chat.host.notify({ type: 'runCommand', command })}
                  >
                    {action.label}
                  </TextButton>
                )
              );
            })}
          </div>
        </div>
      )}
      <KeysWorthKnowing />
    </div>
  );
}

function KeysWorthKnowing() {
  const platform = useSlice((state) => state.settings.platform);
  const busyInput = useSlice((state) => state.settings.busyInput);
  const whileItWorks = {
    steer: t('Correct it while it works'),
    queue: t('Queue a task while it works'),
    redirect: t('Redirect it while it works'),
  };
  const keys = [
    [whileItWorks[busyInput], 'Enter'],
    [t('Cut the answer and ask again'), defaultKeys.redirect(platform)],
    [t('Stop'), defaultKeys.stop()],
  ] as const;
  return (
    <dl class="keys">
      {keys.map(([what, key]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            <kbd>{key}</kbd>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function allowedCommand(id: string): AllowedCommand | undefined {
  return allowedCommands.find((command) => command === id);
}

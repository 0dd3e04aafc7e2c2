import type { BackgroundProcess, ChildAgent } from '../../src/api.ts';
import { backgroundAgentId, backgroundProcessId, cardControls, testIds } from '../../src/protocol/index.ts';
import { visibleLine, visibleText } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { agentDoes, agentTime, asksUser, isOver, taskLine } from '../state/agent-words.ts';
import { elapsed } from '../state/words.ts';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useNow } from './use-now.ts';
import { useSlice } from './use-slice.ts';

/** Agents and commands that go on in the background, also after the turn has ended. */
export function BackgroundList() {
  const agents = useSlice((state) => state.children).filter(inBackground);
  const processes = useSlice((state) => state.processes).filter((process) => process.state === 'running');
  if (agents.length + processes.length === 0) return null;
  return (
    <ul class="background" data-testid={testIds.background} aria-label={t('In the background')}>
      {agents.map((agent) => (
        <AgentLine key={agent.id} agent={agent} />
      ))}
      {processes.map((process) => (
        <ProcessLine key={process.id} process={process} />
      ))}
    </ul>
  );
}

function inBackground({ mode, state }: ChildAgent): boolean {
  return mode === 'background' && !isOver(state);
}

function AgentLine({ agent }: { readonly agent: ChildAgent }) {
  const chat = useChat();
  const now = useNow(true);
  const asks = asksUser(agent);
  return (
    <li class={asks ? 'asking' : ''} data-testid={backgroundAgentId(agent.id)}>
      <Icon name={asks ? 'bell-dot' : 'robot'} />
      <span class="agent-name" title={visibleLine(taskLine(agent.task))}>
        {visibleLine(agent.name)}
      </span>
      <span class="background-words">{visibleLine(agentDoes(agent))}</span>
      <span class="activity-time">{agentTime(agent, now)}</span>
      {agent.state !== 'stopping' && (
        <TextButton
          look="link"
          testId={cardControls.end}
          title={t('Stop agent {0}', agent.name)}
          onClick={() => {
            chat.host.notify({ type: 'stopChild', id: agent.id });
            chat.composerFocus.value++;
          }}
        >
          {t('Stop')}
        </TextButton>
      )}
    </li>
  );
}

function ProcessLine({ process }: { readonly process: BackgroundProcess }) {
  const chat = useChat();
  const now = useNow(true);
  return (
    <li data-testid={backgroundProcessId(process.id)}>
      <Icon name="server-process" />
      <code class="background-words" title={visibleText(`${process.command}\n${process.cwd}`)}>
        {visibleLine(process.command)}
      </code>
      <span class="activity-time">{elapsed(now - process.startedAt)}</span>
      <TextButton
        look="link"
        testId={cardControls.end}
        title={t('End {0}', process.command)}
        onClick={() => {
          chat.host.notify({ type: 'killProcess', id: process.id });
          chat.composerFocus.value++;
        }}
      >
        {t('End')}
      </TextButton>
    </li>
  );
}

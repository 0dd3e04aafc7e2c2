import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ChildAgent } from '../../src/api.ts';
import { agentCardId, cardControls } from '../../src/protocol/index.ts';
import { visibleLine, visibleText } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { agentStateWords, agentTime, asksUser, isOver, taskLine } from '../state/agent-words.ts';
import { delegatedTask } from '../state/call-label.ts';
import type { ToolEntry } from '../state/entries.ts';
import { statusWords } from '../state/words.ts';
import { AgentTranscript } from './agent-transcript.tsx';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useNow } from './use-now.ts';
import { useSlice } from './use-slice.ts';

/** Lines of what a running agent did last that stand under its line. */
const shownActivity = 3;

/** A call that delegates: the agent's name and task, how it stands, and, when opened, its own transcript. */
export function AgentCard({ entry }: { readonly entry: ToolEntry }) {
  const children = useSlice((state) => state.children);
  const [open, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  const child = children.findLast(({ id, callId }) =>
    entry.childId === undefined ? callId === entry.callId : id === entry.childId,
  );
  const childId = child?.id ?? entry.childId;
  const delegated = child ?? delegatedTask(entry.input);
  const name = visibleLine(delegated.name);
  const task = visibleText(delegated.task);
  const stands = child ? standing(child) : entry.state;
  const goesOn = child !== undefined && !isOver(child.state);
  return (
    <div class={`line-card agent ${stands} ${open ? 'open' : ''}`} data-testid={agentCardId(entry.callId)}>
      <button
        ref={toggle}
        type="button"
        class="card-line"
        aria-expanded={open}
        disabled={childId === undefined}
        title={task}
        data-testid={cardControls.toggle}
        onClick={() => setOpen(!open)}
      >
        <AgentIcon stands={stands} />
        <span class="agent-name">
          <span class="only-heard">{t('Agent')} </span>
          {name || t('Agent')}
        </span>
        <span class="card-label">{taskLine(task)}</span>
        <span class="card-marks">{child ? <ChildMarks child={child} /> : callMarks(entry)}</span>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} class="chevron" />
      </button>
      {goesOn && !open && <Activity child={child} />}
      {goesOn && <AgentControls child={child} callId={entry.callId} toggle={toggle} />}
      {open && childId !== undefined && <AgentTranscript childId={childId} child={child} task={task} />}
    </div>
  );
}

type Standing = ChildAgent['state'] | 'asking' | ToolEntry['state'];

function standing(child: ChildAgent): Standing {
  return asksUser(child) ? 'asking' : child.state;
}

function AgentIcon({ stands }: { readonly stands: Standing }) {
  switch (stands) {
    case 'running':
    case 'stopping':
      return <Icon name="loading" class="codicon-modifier-spin" />;
    case 'asking':
    case 'approval':
      return <Icon name="bell-dot" class="attention" />;
    case 'failed':
    case 'error':
      return <Icon name="error" class="failed" />;
    case 'interrupted':
    case 'stopped':
      return <Icon name="stop-circle" />;
    case 'blocked':
    case 'denied':
      return <Icon name="circle-slash" />;
    default:
      return <Icon name="robot" />;
  }
}

function ChildMarks({ child }: { readonly child: ChildAgent }) {
  const now = useNow(!isOver(child.state));
  return (
    <>
      <span class="agent-state">{agentStateWords(child)}</span> · {agentTime(child, now)}
    </>
  );
}

/** Of a call whose agent has not begun, or is no longer known. */
function callMarks({ state }: ToolEntry): string {
  switch (state) {
    case 'announced':
      return t('being written');
    case 'waiting':
    case 'running':
      return t('waiting');
    case 'approval':
    case 'question':
      return t('needs you');
    case 'success':
      return t('finished');
    default:
      return statusWords(state) ?? '';
  }
}

/** What it did last, newest below; what it waits for, where it waits. */
function Activity({ child }: { readonly child: ChildAgent }) {
  const approvals = useSlice((state) => state.approvals);
  const asks = asksUser(child) ? approvals.filter((approval) => approval.child?.id === child.id) : [];
  const did = child.activity.slice(-shownActivity).map(visibleLine);
  if (did.length + asks.length === 0) return null;
  return (
    <ol
      class="agent-activity"
      data-testid={cardControls.agentActivity}
      aria-label={t('What agent {0} did last', child.name)}
    >
      {did.map((line, index) => (
        <li key={index} title={line}>
          {line}
        </li>
      ))}
      {asks.map((approval) => (
        <li key={approval.id} class="asks" title={visibleText(approval.summary)}>
          {t('Waiting for you: {0}', approval.summary)}
        </li>
      ))}
    </ol>
  );
}

interface AgentControlsProps {
  readonly child: ChildAgent;
  readonly callId: string;
  /** Gets the focus when a control goes away with what it did. */
  readonly toggle: RefObject<HTMLButtonElement | null>;
}

function AgentControls({ child, callId, toggle }: AgentControlsProps) {
  const chat = useChat();
  const readOnly = useSlice((state) => state.session.readOnly !== undefined);
  if (child.state === 'stopping' || readOnly) return null;
  return (
    <div class="command-controls">
      <TextButton
        look="link"
        testId={cardControls.stopAgent}
        title={t('Stop agent {0}', child.name)}
        onClick={() => {
          toggle.current?.focus();
          chat.host.notify({ type: 'stopChild', id: child.id });
        }}
      >
        {t('Stop agent')}
      </TextButton>
      {child.mode === 'foreground' && (
        <TextButton
          look="link"
          testId={cardControls.moveToBackground}
          title={t('Let the turn go on while agent {0} works', child.name)}
          onClick={() => {
            toggle.current?.focus();
            chat.host.notify({ type: 'moveToBackground', callId });
          }}
        >
          {t('Move to background')}
        </TextButton>
      )}
    </div>
  );
}

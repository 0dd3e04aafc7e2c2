import { homedir } from 'node:os';
import type { HookPayloadBase } from '../../../hooks-api.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { AgentPorts } from '../types.ts';

export interface PayloadSource {
  readonly ports: AgentPorts;
  readonly sessionId: string;
  /** `provider/model` that the session asks for; undefined for the chosen one. */
  modelRef(): string | undefined;
}

/** What every hook is told, whatever the event. @param turn the one that runs, undefined between turns */
export function payloadBase(
  { ports, sessionId, modelRef }: PayloadSource,
  turn: LiveTurn | undefined,
  promptId: string | undefined,
): HookPayloadBase {
  const { parent } = ports;
  const { folders } = ports.settings();
  const model = turn?.model?.ref ?? modelRef() ?? ports.models.chosenRef?.();
  const effort = turn?.model?.effort;
  return {
    schema: 'midcourse.hooks.v1',
    session_id: sessionId,
    session_key: sessionId,
    platform: 'vscode',
    cwd: folders[0] ?? homedir(),
    ...(folders.length > 1 && { workspace_folders: folders }),
    ...(turn && { turn_id: turn.id }),
    ...(promptId !== undefined && { prompt_id: promptId }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(parent && { parent_session_id: parent.sessionId, agent_id: sessionId, agent_type: parent.agentType }),
  };
}

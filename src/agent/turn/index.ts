export { Agent } from './agent.ts';
export { LiveSession } from './session.ts';
export type {
  AgentPorts,
  AgentSettings,
  ApprovalPort,
  Clock,
  HookAnswer,
  HookPort,
  LiveTool,
  LiveView,
  Log,
  ModelPort,
  Price,
  ResolvedModel,
  ToolPort,
} from './types.ts';

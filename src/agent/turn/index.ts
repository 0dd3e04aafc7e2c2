export type { Transcript } from '../children/index.ts';
export type { HookPort } from '../hooks/port.ts';
export type { HookAnswer } from '../hooks/types.ts';
export { Agent } from './agent.ts';
export type { Announcement } from './announcer.ts';
export type { ContextFill } from './context-fills.ts';
export type { OpenedSession } from './opening.ts';
export { StoredProcesses, type Swept, sweepProcesses } from './process-ledger.ts';
export { LiveSession } from './session.ts';
export type { Spending } from './spending.ts';
export type {
  AgentPorts,
  AgentSettings,
  ApprovalPort,
  Clock,
  LiveTool,
  LiveView,
  Log,
  ModelPort,
  ParentPort,
  ResolvedModel,
  ToolPort,
} from './types.ts';

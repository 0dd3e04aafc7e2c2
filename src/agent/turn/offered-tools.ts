import type { ToolSpec } from '../model/types.ts';
import { toolSpecs } from '../tools/index.ts';
import type { AgentPorts } from './types.ts';

/** The tools that a model is told of; none where tools are off. */
export function offeredTools({ settings, tools }: AgentPorts): readonly ToolSpec[] {
  return settings().toolsOff === undefined ? toolSpecs(tools.list()) : [];
}

import { type Entry, imageTokens, textTokens } from '../context/index.ts';
import { offeredTools } from './offered-tools.ts';
import type { AgentPorts } from './types.ts';

/** A part of what fills the model's window. */
export interface ContextFill {
  readonly id: 'system_prompt' | 'tool_definitions' | 'images' | 'conversation';
  readonly tokens: number;
}

/** Tokens that go with every request beside the history, as far as their characters can tell. */
export function beside(ports: AgentPorts): { readonly system: number; readonly tools: number } {
  const tools = offeredTools(ports);
  return {
    system: textTokens(ports.systemPrompt()),
    tools: tools.length === 0 ? 0 : textTokens(JSON.stringify(tools)),
  };
}

/**
 * What fills the window. The provider counts the whole; the parts beside the conversation are estimated, and the
 * conversation is the rest.
 *
 * @param used tokens of the newest request and its answer, as counted; 0 when nobody has counted yet
 */
export function contextFills(ports: AgentPorts, entries: readonly Entry[], used: number): readonly ContextFill[] {
  const { system, tools } = beside(ports);
  const images = entries.reduce((sum, { message }) => sum + imageTokens(message), 0);
  const fills: readonly ContextFill[] = [
    { id: 'system_prompt', tokens: Math.min(system, used) },
    { id: 'tool_definitions', tokens: Math.min(tools, Math.max(0, used - system)) },
    { id: 'images', tokens: Math.min(images, Math.max(0, used - system - tools)) },
  ];
  const rest = used - fills.reduce((sum, { tokens }) => sum + tokens, 0);
  return [...fills.filter(({ tokens }) => tokens > 0), { id: 'conversation', tokens: rest }];
}

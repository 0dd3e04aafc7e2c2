/** What an item that is over says to the user, and to another model that goes on later. */

import { HeadTailBuffer } from '../../tools/index.ts';
import type { ToolResult } from '../../tools/types.ts';
import { nameOf } from './changes.ts';
import type { LiveItem } from './live-item.ts';
import type { CommandItem, FileChange } from './protocol.ts';

const OUTPUT_CHARACTERS = 50_000;

export function resultOf({ item, output }: LiveItem, folders: readonly string[]): ToolResult {
  switch (item.type) {
    case 'commandExecution':
      return commandResult(item, output);
    case 'fileChange':
      return editResult(item.changes, item.status, folders);
    case 'mcpToolCall': {
      const failed = item.error?.message;
      const content = item.result ? item.result.content.map(textOf).join('\n') : '';
      return { status: failed === undefined ? endOf(item.status) : 'error', text: bounded(failed ?? content) };
    }
    case 'dynamicToolCall': {
      const text = bounded((item.contentItems ?? []).map(textOf).join('\n'));
      return { status: item.success === false ? 'error' : endOf(item.status), text };
    }
    case 'webSearch':
      return { status: 'success', text: `Searched the web for: ${item.query}` };
    case 'ask':
    case 'elicitation':
      return { status: 'success', text: 'Answered.' };
    default:
      return item satisfies never;
  }
}

function commandResult({ status, aggregatedOutput, exitCode }: CommandItem, output: string): ToolResult {
  const said = bounded((aggregatedOutput ?? output).trimEnd());
  if (status === 'declined') return { status: 'denied', text: 'Codex did not run it: it was refused.' };
  if (status === 'inProgress') {
    return { status: 'error', text: [said, '[its end is not known: Codex ended first]'].filter(Boolean).join('\n') };
  }
  const detail = exitCode === null || exitCode === undefined ? status : `exit ${exitCode}`;
  const text = [said, `[${detail}]`].filter((part) => part !== '').join('\n');
  const facts = typeof exitCode === 'number' ? { facts: { exit_code: exitCode } } : {};
  return { status: endOf(status), text, detail, ...facts };
}

function editResult(changes: readonly FileChange[], status: string, folders: readonly string[]): ToolResult {
  const names = changes.map(({ path }) => nameOf(path, folders)).join(', ');
  if (status === 'declined') return { status: 'denied', text: `Codex did not change ${names}: it was refused.` };
  if (status !== 'completed') return { status: 'error', text: `Codex could not change ${names}.` };
  return { status: 'success', text: `Changed ${names}.`, changed: changes.map(({ path }) => path) };
}

function endOf(status: string): ToolResult['status'] {
  if (status === 'declined') return 'denied';
  return status === 'completed' ? 'success' : 'error';
}

/** One block of a result of MCP. */
function textOf(block: unknown): string {
  const isText = typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string';
  return isText ? String(block.text) : JSON.stringify(block);
}

function bounded(text: string): string {
  const kept = new HeadTailBuffer(OUTPUT_CHARACTERS);
  kept.append(text);
  return kept.text();
}

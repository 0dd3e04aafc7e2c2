import type { Part, TranscriptRow } from '../../../api.ts';
import { claudeTools, foreignCall } from '../dialects/tool-aliases/index.ts';

export interface LinePlace {
  readonly sessionId: string;
  readonly cwd: string;
  /** ISO 8601. Rows have no time of their own: it is when they were written to the file. */
  readonly time: string;
}

/** One row as a line of Claude Code's transcript, with its end; undefined for what is only said to the user. */
export function transcriptLine(row: TranscriptRow, place: LinePlace): string | undefined {
  const message = messageOf(row, place);
  if (!message) return undefined;
  const line = {
    type: message.role,
    uuid: row.id,
    sessionId: place.sessionId,
    cwd: place.cwd,
    timestamp: place.time,
    isSidechain: false,
    message,
  };
  return `${JSON.stringify(line)}\n`;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly unknown[];
}

function messageOf(row: TranscriptRow, { cwd }: LinePlace): Message | undefined {
  switch (row.role) {
    case 'user':
      return { role: 'user', content: row.providerText ?? textOf(row) };
    case 'assistant':
      return { role: 'assistant', content: row.parts.flatMap((part) => blockOf(part, cwd) ?? []) };
    case 'tool': {
      const failed = row.status !== undefined && row.status !== 'success' && row.status !== 'yielded';
      const content = row.providerText ?? textOf(row);
      const result = { type: 'tool_result', tool_use_id: row.callId, content, ...(failed ? { is_error: true } : {}) };
      return { role: 'user', content: [result] };
    }
    case 'notice':
      return undefined;
    default:
      return row.role satisfies never;
  }
}

function textOf({ parts, displayText }: TranscriptRow): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === 0 ? (displayText ?? '') : texts.join('\n');
}

function blockOf(part: Part, cwd: string): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      return { type: 'thinking', thinking: part.text };
    case 'tool_call': {
      const { name, input } = foreignCall(claudeTools, { tool_name: part.name, tool_input: part.input, cwd });
      return { type: 'tool_use', id: part.callId, name, input };
    }
    case 'image':
      return undefined;
    default:
      return part satisfies never;
  }
}

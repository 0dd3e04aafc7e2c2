import { claudeTools, foreignCall, isAboutCall } from '../tool-aliases/index.ts';
import type { DeclaredHook, Reading } from '../types.ts';

/** As recorded: the event and the tool, the command in brackets, and its words as they are. */
export function blockText({ hook, payload }: Reading, reason: string): string {
  const tool = isAboutCall(payload) ? `:${foreignCall(claudeTools, payload).name}` : '';
  return `${hook.declaredAs}${tool} hook error: [${whatRan(hook)}]: ${reason}`;
}

function whatRan({ handler }: DeclaredHook): string {
  switch (handler.type) {
    case 'command':
      return [handler.command, ...(handler.args ?? [])].join(' ');
    case 'http':
      return handler.url;
    case 'prompt':
      return 'prompt';
    case 'mcp_tool':
      return `${handler.server}/${handler.tool}`;
    default:
      return handler satisfies never;
  }
}

import { ApprovedCalls } from './approved-calls.ts';
import { askUserTool } from './ask-user.ts';
import { AskedSecrets } from './asked-secrets.ts';
import { delegateTool } from './delegate.ts';
import { diagnosticsTool } from './diagnostics.ts';
import { FileMemory } from './file-memory.ts';
import { listFilesTool } from './list-files.ts';
import { patchTool } from './patch.ts';
import { processTool } from './process-tool.ts';
import { readFileTool } from './read-file.ts';
import { searchFilesTool } from './search-files.ts';
import { terminalTool } from './terminal.ts';
import { todoTool } from './todo.ts';
import type { Tool } from './types.ts';
import { writeFileTool } from './write-file.ts';

/** The built-in tools, always in this order: it is part of what the model's prompt cache is keyed by. */
export function createBuiltinTools(): readonly Tool[] {
  const memory = new FileMemory();
  const asked = new AskedSecrets();
  const edits = { seen: memory, asked, approved: new ApprovedCalls() };
  return [
    readFileTool(memory, asked),
    listFilesTool(),
    searchFilesTool(asked),
    writeFileTool(edits),
    patchTool(edits),
    terminalTool(),
    processTool(),
    diagnosticsTool(asked),
    askUserTool(),
    todoTool(),
    delegateTool(),
  ] as readonly Tool[];
}

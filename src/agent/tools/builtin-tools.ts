import { askUserTool } from './ask-user.ts';
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
  return [
    readFileTool(memory),
    listFilesTool(),
    searchFilesTool(),
    writeFileTool(memory),
    patchTool(memory),
    terminalTool(),
    processTool(),
    diagnosticsTool(),
    askUserTool(),
    todoTool(),
    delegateTool(),
  ] as readonly Tool[];
}

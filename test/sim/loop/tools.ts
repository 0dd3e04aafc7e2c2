import * as z from 'zod';
import type { ModelCall } from '../../../src/agent/model/types.ts';
import { delegateTool } from '../../../src/agent/tools/delegate.ts';
import type { Overlap, PermissionNeed, Tool, ToolContext, ToolResult } from '../../../src/agent/tools/types.ts';
import type { ToolPort } from '../../../src/agent/turn/index.ts';

/** A call of a scripted tool between its start and its end; nothing of it ends by itself, an abort neither. */
export interface Run {
  readonly tool: string;
  readonly context: ToolContext;
  /** The foreground process of it is alive. */
  live: boolean;
  end(result: ToolResult): void;
  throws(): void;
}

/** A look-up of what a call needs to be allowed. */
export interface Lookup {
  readonly tool: string;
  readonly context: ToolContext;
  answer(how: 'nothing' | 'asks' | 'throws'): void;
}

/**
 * - `read`: parallel, asks for nothing
 * - `slow`: parallel, its permission is known when the schedule says so
 * - `write`: a barrier that asks; its rule can be allowed for the session
 * - `terminal`: a barrier that runs at once and can yield
 * - `ask`, `choose`: questions, with free text and without
 *
 * Beside them stands the real `delegate`: its agents ask the same scripted model.
 */
export const TOOL_NAMES = ['read', 'slow', 'write', 'terminal', 'ask', 'choose'] as const;
type ToolName = (typeof TOOL_NAMES)[number];

const Input = z.object({ n: z.number() });
type Input = z.infer<typeof Input>;

/** One for all hosts: what the model is told of it is made once. */
const DELEGATE = delegateTool() as Tool;

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

export class ScriptedTools implements ToolPort {
  readonly runs: Run[] = [];
  readonly lookups: Lookup[] = [];
  readonly #tools: readonly Tool[];
  readonly #started: (run: Run) => void;
  readonly #lookedUp: (context: ToolContext) => void;

  constructor(parts: { started(run: Run): void; lookedUp(context: ToolContext): void }) {
    this.#started = parts.started;
    this.#lookedUp = parts.lookedUp;
    this.#tools = [...TOOL_NAMES.map((name) => this.#tool(name) as Tool), DELEGATE];
  }

  list(): readonly Tool[] {
    return this.#tools;
  }

  find(name: string): Tool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  #tool(name: ToolName): Tool<Input> {
    const overlap: Overlap = name === 'read' || name === 'slow' ? 'parallel' : 'barrier';
    return {
      name,
      description: `the scripted tool ${name}`,
      input: Input,
      inputSchema: SCHEMA,
      overlap,
      subject: ({ n }) => ({ verb: 'use', object: `${name} ${n}` }),
      permission: (_, context) => this.#permission(name, context),
      run: (_, context) => this.#run(name, context),
      ...(name === 'ask' || name === 'choose'
        ? { question: () => ({ text: 'Which?', choices: CHOICES, multiple: false, freeText: name === 'ask' }) }
        : {}),
    };
  }

  #permission(tool: ToolName, context: ToolContext): Promise<PermissionNeed | undefined> {
    this.#lookedUp(context);
    if (tool === 'write') return Promise.resolve(NEED);
    if (tool !== 'slow') return Promise.resolve(undefined);
    const { promise, resolve, reject } = Promise.withResolvers<PermissionNeed | undefined>();
    const lookup: Lookup = {
      tool,
      context,
      answer: (how) => {
        this.lookups.splice(this.lookups.indexOf(lookup), 1);
        if (how === 'throws') reject(new Error('the look-up failed'));
        else resolve(how === 'asks' ? { ...NEED, always: true } : undefined);
      },
    };
    this.lookups.push(lookup);
    return promise;
  }

  #run(tool: ToolName, context: ToolContext): Promise<ToolResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ToolResult>();
    const over = () => {
      run.live = false;
      this.runs.splice(this.runs.indexOf(run), 1);
    };
    const run: Run = {
      tool,
      context,
      live: true,
      end: (result) => {
        over();
        resolve(result);
      },
      throws: () => {
        over();
        reject(new Error('the tool broke'));
      },
    };
    this.runs.push(run);
    this.#started(run);
    return promise;
  }
}

const CHOICES = [
  { id: 'a', label: 'A' },
  { id: 'b', label: 'B' },
];

const NEED: PermissionNeed = {
  kind: 'write',
  summary: 'Write a file',
  why: 'it changes a file',
  rule: { key: 'write', words: 'all writes' },
};

/**
 * Calls of one answer by their tools: `read write`. `unknown` has no tool, `wrong` and `broken` have bad arguments,
 * `aside` delegates in the background.
 */
export function calls(names: string, serial: number): readonly ModelCall[] {
  return names.split(' ').map((name, index): ModelCall => {
    // Some providers number calls anew in each answer: every third answer repeats the ids of another.
    const callId = serial % 3 === 2 ? `again_${index}` : `call_${serial}_${index}`;
    switch (name) {
      case 'wrong':
        return { callId, name: 'read', input: { n: 'one' } };
      case 'delegate':
      case 'aside':
        return {
          callId,
          name: 'delegate',
          input: { name: `agent ${index}`, task: `task ${index}`, background: name === 'aside' },
        };
      case 'broken':
        return { callId, name: 'read', input: undefined, invalidInput: '{"n": 1' };
      default:
        return { callId, name, input: { n: index } };
    }
  });
}

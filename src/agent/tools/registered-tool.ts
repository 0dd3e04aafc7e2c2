import * as z from 'zod';
import type { ToolDefinition } from '../../api.ts';
import { HeadTailBuffer } from './output-buffer.ts';
import { patternProblem, withoutPatterns } from './schema-patterns.ts';
import type { Tool } from './types.ts';

/** Characters of a registered tool's answer that reach the model. */
const RESULT_CHARACTERS = 50_000;

/** A tool of another extension. Unless it is read-only it asks before it runs. */
export function registeredTool(definition: ToolDefinition): Tool {
  const { name, description, inputSchema, readOnly = false } = definition;
  return {
    name,
    description,
    input: inputOf(definition),
    inputSchema,
    overlap: readOnly ? 'parallel' : 'barrier',
    subject: () => ({ verb: 'use', object: name }),
    permission: async (input) =>
      readOnly
        ? undefined
        : {
            kind: 'run',
            summary: `Use the tool ${name}`,
            why: 'It comes from another extension and may change things.',
            command: `${name} ${JSON.stringify(input)}`,
            rule: { key: `tool:${name}`, words: `the tool ${name}` },
          },
    async run(input, { signal }) {
      try {
        const answer: unknown = await definition.invoke(input, signal);
        const bounded = new HeadTailBuffer(RESULT_CHARACTERS);
        bounded.append(typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? ''));
        return { status: signal.aborted ? 'stopped' : 'success', text: bounded.text() };
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        if (signal.aborted) return { status: 'stopped', text: `${name} was stopped, may have run in part. ${text}` };
        return { status: 'error', text: `${name} failed: ${text}` };
      }
    },
  };
}

function inputOf({ name, inputSchema }: ToolDefinition): z.ZodType {
  if (inputSchema.type !== 'object') {
    throw new TypeError(`The input schema of the tool "${name}" must have the type "object".`);
  }
  try {
    const schema = z.fromJSONSchema(withoutPatterns(inputSchema) as typeof inputSchema);
    return schema.superRefine((value, context) => {
      const problem = patternProblem(inputSchema, value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TypeError(`The input schema of the tool "${name}" cannot be used: ${why}`);
  }
}

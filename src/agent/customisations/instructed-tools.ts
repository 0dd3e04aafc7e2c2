import * as z from 'zod';
import { resolveInside } from '../safety/index.ts';
import type { PermissionNeed, Tool, ToolContext, ToolResult } from '../tools/types.ts';
import type { ToolPort } from '../turn/types.ts';
import type { Customisations } from './customisations.ts';
import { skillTool } from './skill-tool.ts';

/**
 * The tools with what files add to them: `skill`, where there are skills that the model may load, and the instructions
 * of a folder behind the first result that comes from it.
 */
export function instructedTools(inner: ToolPort, customisations: Customisations): ToolPort {
  const skill = skillTool(customisations) as Tool;
  const wrapped = new WeakMap<Tool, Tool>();
  const wrap = (tool: Tool): Tool => {
    const known = wrapped.get(tool);
    if (known) return known;
    const instructed: Tool = {
      ...tool,
      permission: async (input, context) =>
        await withoutRule(await tool.permission(input, context), context, customisations),
      run: async (input, context) =>
        await withInstructions(await tool.run(input, context), input, context, customisations),
    };
    wrapped.set(tool, instructed);
    return instructed;
  };
  const hasSkills = () => customisations.skills.some(({ modelMayUse }) => modelMayUse);
  return {
    list: () => [...inner.list().map(wrap), ...(hasSkills() ? [skill] : [])],
    find(name, own) {
      const tool = inner.find(name, own);
      if (tool) return own?.includes(tool) ? tool : wrap(tool);
      return name === skill.name ? skill : undefined;
    },
    ready: (signal) => inner.ready?.(signal),
  };
}

/** Where tools say what they work on: all of ours do, and most of others. */
const touching = z.object({
  path: z.string().optional().catch(undefined),
  file: z.string().optional().catch(undefined),
  cwd: z.string().optional().catch(undefined),
});

/** No rule for edits covers a file that was read as instructions, whatever it is called: an import, a skill's file. */
async function withoutRule(
  need: PermissionNeed | undefined,
  { folders }: ToolContext,
  customisations: Customisations,
): Promise<PermissionNeed | undefined> {
  if (need?.kind !== 'write' || need.rule === undefined || need.diff === undefined) return need;
  const found = await resolveInside(need.diff.path, folders);
  const by = found.ok ? await customisations.instructionOf(found.path) : undefined;
  if (by === undefined) return need;
  const { rule: _, ...asked } = need;
  return { ...asked, why: `It tells agents what to do: it belongs to ${by}.`, always: true };
}

async function withInstructions(
  result: ToolResult,
  input: unknown,
  { sessionId, folders }: ToolContext,
  { nested }: Customisations,
): Promise<ToolResult> {
  const fields = touching.safeParse(input);
  if (!fields.success || (result.status !== 'success' && result.status !== 'error')) return result;
  const { path, file, cwd } = fields.data;
  const named = [path, file, cwd].filter((one) => one !== undefined);
  const found = await Promise.all(named.map((one) => resolveInside(one, folders)));
  const paths = [...found.flatMap((one) => (one.ok ? [one.path] : [])), ...(result.changed ?? [])];
  if (paths.length === 0) return result;
  const text = await nested.of(sessionId, paths, folders);
  return text === undefined ? result : { ...result, text: `${result.text}\n\n${text}` };
}

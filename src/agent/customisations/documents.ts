/** One file each: a skill, a prompt file or command, an agent's role. */

import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { breathe } from '../kernel/slices.ts';
import { agentTools } from './agent-tools.ts';
import { readFrontmatter } from './frontmatter.ts';
import type { SourceFiles } from './source-files.ts';
import type { AgentRole, CommandFile, CustomisationSource, Skill } from './types.ts';

export type Document<T> =
  | { readonly is: 'found'; readonly value: T }
  | { readonly is: 'absent' }
  | { readonly is: 'unused'; readonly why: string; readonly held?: string };

export interface DocumentPlace {
  /** Absolute. */
  readonly path: string;
  readonly source: CustomisationSource;
  readonly within: readonly string[];
}

const MOST_NAME = 64;
const MOST_DESCRIPTION = 1024;
/** What can be typed behind a `/` and told from a path. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]*$/u;

const flag = z.union([z.boolean(), z.stringbool()]).optional();
const words = z.coerce.string().optional();
const list = z
  .union([z.string().transform((text) => text.split(/[,\s]+(?![^(]*\))/)), z.array(z.string())])
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ''))
  .optional();

const skillFields = z.object({
  name: words,
  description: words,
  'argument-hint': words,
  'user-invocable': flag,
  'disable-model-invocation': flag,
});

/** @param place the `SKILL.md`; its folder is its name */
export async function readSkill(place: DocumentPlace, files: SourceFiles): Promise<Document<Skill>> {
  const parsed = await read(place, files, skillFields);
  if (parsed.is !== 'found') return parsed;
  const { fields, body, notes } = parsed.value;
  const folder = basename(dirname(place.path));
  const named = nameProblem(folder);
  if (named !== undefined) return unused(`the name of its folder ${named}`);
  if (!fields.description) return unused('it has no description, so nothing says when it is of use.');
  const hint = fields['argument-hint'];
  return found({
    is: 'skill',
    name: folder,
    description: fields.description.slice(0, MOST_DESCRIPTION),
    path: place.path,
    source: place.source,
    modelMayUse: fields['disable-model-invocation'] !== true,
    userMayUse: fields['user-invocable'] !== false,
    ...(hint ? { argumentHint: hint } : {}),
    body,
    ...noted([
      ...notes,
      ...(fields.name !== undefined && fields.name !== folder
        ? [`It calls itself ${fields.name}; a skill is known by its folder, ${folder}.`]
        : []),
      ...(fields.description.length > MOST_DESCRIPTION
        ? [`Its description is cut after ${MOST_DESCRIPTION} characters.`]
        : []),
      ...shellNote(body),
    ]),
  });
}

const commandFields = z.object({
  name: words,
  description: words,
  'argument-hint': words,
  agent: z.unknown().optional(),
  mode: z.unknown().optional(),
  model: z.unknown().optional(),
  tools: z.unknown().optional(),
  'allowed-tools': z.unknown().optional(),
});

/** @param name that of its file without the ending; a prompt file may give itself another */
export async function readCommand(
  is: 'prompt' | 'command',
  name: string,
  place: DocumentPlace,
  files: SourceFiles,
): Promise<Document<CommandFile>> {
  const parsed = await read(place, files, commandFields);
  if (parsed.is !== 'found') return parsed;
  const { fields, body, notes } = parsed.value;
  const own = is === 'prompt' && fields.name ? fields.name : name;
  const named = nameProblem(own);
  if (named !== undefined) return unused(`its name ${named}`);
  if (body === '') return unused('it is empty.');
  const hint = fields['argument-hint'];
  const ignored = (['agent', 'mode', 'model', 'tools', 'allowed-tools'] as const).filter(
    (field) => fields[field] !== undefined,
  );
  return found({
    is,
    name: own,
    description: fields.description?.slice(0, MOST_DESCRIPTION) ?? firstLine(body),
    path: place.path,
    source: place.source,
    ...(hint ? { argumentHint: hint } : {}),
    body,
    ...noted([
      ...notes,
      ...(ignored.length > 0 ? [`Without effect here: ${ignored.join(', ')}. It runs as a message of yours.`] : []),
      ...shellNote(body),
    ]),
  });
}

const agentFields = z.object({
  name: words,
  description: words,
  tools: list,
  model: z.union([z.string(), z.array(z.string())]).optional(),
  hooks: z.unknown().optional(),
  handoffs: z.unknown().optional(),
  'mcp-servers': z.unknown().optional(),
  mcpServers: z.unknown().optional(),
  permissionMode: z.unknown().optional(),
});

/** Who speaks in a session already: an agent of a file that was called so could pass for it. */
const RESERVED: ReadonlySet<string> = new Set([
  'midcourse',
  'codex',
  'main',
  'default',
  'system',
  'developer',
  'user',
  'assistant',
]);

/** @param name that of its file without the ending; it may give itself another */
export async function readAgent(name: string, place: DocumentPlace, files: SourceFiles): Promise<Document<AgentRole>> {
  const parsed = await read(place, files, agentFields);
  if (parsed.is !== 'found') return parsed;
  const { fields, body, notes } = parsed.value;
  if (body === '') return unused('it is empty: it says nothing that the agent could be told.');
  const own = (fields.name ?? name).slice(0, MOST_NAME);
  if (RESERVED.has(own.trim().toLowerCase())) return unused(`${own} is a name of Midcourse's own.`);
  const limit = fields.tools && agentTools(fields.tools);
  const models = [fields.model ?? []].flat();
  const model = models.find((one) => /^[^/\s]+\/\S+$/.test(one));
  const ignored = (['hooks', 'handoffs', 'mcp-servers', 'mcpServers', 'permissionMode'] as const).filter(
    (field) => fields[field] !== undefined,
  );
  return found({
    is: 'agent',
    name: own,
    description: fields.description?.slice(0, MOST_DESCRIPTION) ?? firstLine(body),
    path: place.path,
    source: place.source,
    prompt: body,
    ...(limit ? { tools: limit.tools } : {}),
    ...(model === undefined ? {} : { model }),
    ...noted([
      ...notes,
      ...(limit && limit.unknown.length > 0 ? [`There are no such tools here: ${limit.unknown.join(', ')}.`] : []),
      ...(models.length > 0 && model === undefined && !models.includes('inherit')
        ? [`Its model ${models.join(', ')} is not written as provider/model: it works with that of the session.`]
        : []),
      ...(ignored.length > 0 ? [`Without effect here: ${ignored.join(', ')}.`] : []),
    ]),
  });
}

async function read<Fields>(
  { path, within }: DocumentPlace,
  files: SourceFiles,
  schema: z.ZodType<Fields>,
): Promise<Document<{ readonly fields: Fields; readonly body: string; readonly notes: readonly string[] }>> {
  const file = await files.read(path, within);
  await breathe();
  if (file.is === 'absent') return { is: 'absent' };
  if (file.is === 'refused') return { ...file, is: 'unused' };
  const parts = await readFrontmatter(file.text);
  if (!parts.ok) return unused(parts.why);
  const fields = schema.safeParse(parts.fields);
  if (!fields.success) {
    const [issue] = fields.error.issues;
    return unused(`${issue?.path.join('.') || 'its frontmatter'} does not fit: ${issue?.message ?? 'unknown'}.`);
  }
  const cut = Math.ceil(file.bytesCut / 1024);
  return found({
    fields: fields.data,
    body: parts.body,
    notes: [
      ...(cut > 0 ? [`It is too long: its last ${cut} KB are left out.`] : []),
      ...(file.hidden > 0 ? [hiddenNote(file.hidden)] : []),
    ],
  });
}

function found<T>(value: T): { readonly is: 'found'; readonly value: T } {
  return { is: 'found', value };
}

function unused(why: string): { readonly is: 'unused'; readonly why: string } {
  return { is: 'unused', why };
}

/** What is said of a file with characters that nobody sees. */
export function hiddenNote(hidden: number): string {
  return `${hidden} character${hidden === 1 ? '' : 's'} of it that cannot be seen ${hidden === 1 ? 'is' : 'are'} left out.`;
}

function nameProblem(name: string): string | undefined {
  if (name.length > MOST_NAME) return `is longer than ${MOST_NAME} characters: ${name}`;
  return NAME.test(name) ? undefined : `has characters that cannot be typed behind a slash: ${name}`;
}

/** Claude Code runs what stands between !` and ` before the text is sent. Nothing runs here by being read. */
function shellNote(body: string): readonly string[] {
  return /(^|\s)!`[^`]+`/.test(body) ? ['Commands in it (!`…`) are not run; the model reads them as text.'] : [];
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line.replace(/^#+\s*/, '').slice(0, 200);
}

function noted(notes: readonly string[]): { readonly notes?: readonly string[] } {
  return notes.length > 0 ? { notes } : {};
}

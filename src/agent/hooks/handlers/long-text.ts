import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstOf } from '../../tools/index.ts';
import type { HookAnswer } from '../types.ts';

/** Characters of one text that a model is given at once. */
const LIMIT = 10_000;
/** The same of a text in the place of a tool's result, of which none is longer. */
const RESULT = 100_000;
/** Characters of a longer one. */
const PREVIEW = 2_000;
/** Files that are kept. */
const FILES = 100;

/**
 * The answer with texts of at most 10,000 characters, results of 100,000: of a longer one its beginning, and the file that
 * holds all of it.
 */
export async function withinReach(answer: HookAnswer, folder: string): Promise<HookAnswer> {
  const { context, block, goOn, ask, permission, stopTurn, replace } = answer;
  const short = (text: string, limit = LIMIT) => shortened(text, folder, limit);
  return {
    ...answer,
    ...(context === undefined ? {} : { context: await short(context) }),
    ...(block === undefined
      ? {}
      : { block: { ...block, reason: firstOf(block.reason, LIMIT), modelText: await short(block.modelText) } }),
    ...(goOn === undefined ? {} : { goOn: { ...goOn, text: await short(goOn.text) } }),
    ...(ask === undefined ? {} : { ask: { ...ask, reason: firstOf(ask.reason, LIMIT) } }),
    ...(permission === undefined ? {} : { permission: { ...permission, reason: await short(permission.reason) } }),
    ...(stopTurn === undefined ? {} : { stopTurn: { ...stopTurn, reason: firstOf(stopTurn.reason, LIMIT) } }),
    ...(replace === undefined ? {} : { replace: await short(replace, RESULT) }),
  };
}

async function shortened(text: string, folder: string, limit: number): Promise<string> {
  if (text.length <= limit) return text;
  const begin = firstOf(text, PREVIEW);
  try {
    const path = await keep(text, folder);
    return `${begin}\n[… The hook wrote ${text.length} characters. All of them are in ${path}]`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `${begin}\n[… The hook wrote ${text.length} characters; the rest could not be kept: ${why}]`;
  }
}

async function keep(text: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${Date.now()}-${randomUUID()}.txt`);
  await writeFile(path, text, { mode: 0o600 });
  const names = (await readdir(folder)).sort();
  await Promise.all(names.slice(0, -FILES).map((name) => rm(join(folder, name), { force: true })));
  return path;
}

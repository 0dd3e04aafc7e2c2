import { dirname } from 'node:path';
import { fewAtOnce } from '../../kernel/few-at-once.ts';
import { type Consentable, type RunState, runStateOf } from '../../trust/index.ts';
import { type DeclaredHook, rulesOf } from '../dialects/index.ts';
import { hookId, hookOf, nameOf } from '../handlers/index.ts';
import type { Hook, HookSource } from '../types.ts';
import { guardedHook } from './guarded-hook.ts';
import { type HookConsent, hookConsent } from './hook-consent.ts';
import type { HookFilesParts } from './hook-files.ts';
import type { ReadHookFile } from './read-file.ts';
import type { Twins } from './twins.ts';
import type { ListedHook } from './types.ts';

export interface ListingParts {
  readonly of: HookFilesParts;
  readonly twins: Twins;
  /** Something of it is not as it is listed. */
  stale(): void;
}

/** Makes the list of a file's hooks, each with its state, and the hooks that may run. */
export class Listing {
  readonly #parts: ListingParts;
  /** Kept as long as their definition is the same, so that a look at the states changes nothing of those that run. */
  readonly #hooks = new Map<string, { readonly key: string; readonly hook: Hook }>();

  constructor(parts: ListingParts) {
    this.#parts = parts;
  }

  /** @param disabled Claude Code's `disableAllHooks` is set */
  of(read: ReadHookFile, disabled: boolean): Promise<readonly ListedHook[]> {
    return fewAtOnce(read.config.hooks, (declared) => this.#entry(read, declared, disabled));
  }

  /** Forgets the hooks that are not listed any more. */
  keepOnly(listed: readonly ListedHook[]): void {
    const ids = new Set(listed.map(({ id }) => id));
    for (const id of this.#hooks.keys()) if (!ids.has(id)) this.#hooks.delete(id);
  }

  async #entry(read: ReadHookFile, declared: DeclaredHook, disabled: boolean): Promise<ListedHook> {
    const { file, dialect, lineOf } = read;
    const line = declared.offset === undefined ? undefined : lineOf(declared.offset);
    const source: HookSource = {
      is: 'file',
      scope: file.scope,
      path: file.path,
      ...(line === undefined ? {} : { line }),
    };
    const listed = {
      id: hookId(source, declared),
      name: nameOf(declared.handler),
      declared,
      dialect,
      source,
      warnings: declared.warnings,
      watched: [],
    };
    const { broken, event, unsupported } = declared;
    if (broken !== undefined) return { ...listed, state: { is: 'broken', why: broken } };
    if (event === undefined) {
      const why = unsupported ?? `Nothing here fires ${declared.declaredAs}.`;
      return { ...listed, state: { is: 'unsupported', why } };
    }
    // Nothing of it is judged: not what it would run, nor what that would load.
    if (!this.#parts.of.isTrusted()) return { ...listed, state: { is: 'untrusted' } };
    const project = projectOf(file.scope, file.base, this.#parts.of);
    const consent = await hookConsent({
      file,
      dialect,
      declared,
      project,
      home: this.#parts.of.home,
      ...(line === undefined ? {} : { line }),
    });
    const isOff = disabled && dialect === 'claude';
    const { state, watched } = isOff ? { state: disabledState, watched: consent.of.files } : await this.#state(consent);
    const runs = state.is === 'active' || (state.is === 'changed' && declared.failClosed);
    return {
      ...listed,
      // It was allowed and stays registered: its failure has to be seen, and one that fails closed has to block.
      state: state.is === 'active' && consent.problem ? { is: 'broken', why: consent.problem } : state,
      consentable: consent.of,
      watched,
      warnings: [...declared.warnings, ...consent.warnings, ...(consent.problem ? [consent.problem] : [])],
      ...(runs ? { hook: this.#hook(read, declared, source, consent.of, project) } : {}),
    };
  }

  async #state({ of }: HookConsent): Promise<Pick<ListedHook, 'state' | 'watched'>> {
    const { isTrusted, settings, consents } = this.#parts.of;
    if (!isTrusted()) return { state: { is: 'untrusted' }, watched: of.files };
    if (!settings().enabled) return { state: disabledState, watched: of.files };
    const consent = await consents.check(of);
    const { files, unchecked } = consent;
    // Where not all is found, what lies beside it may be what it loads.
    const folders =
      unchecked.length === 0
        ? []
        : [...files.map((file) => dirname(file)), ...unchecked.flatMap((one) => one.folders ?? [])];
    return { state: runStateOf(consent), watched: [...new Set([...files, ...folders])] };
  }

  #hook(read: ReadHookFile, declared: DeclaredHook, source: HookSource, of: Consentable, project: string): Hook {
    const { parts, folders, isTrusted, consents } = this.#parts.of;
    const id = hookId(source, declared);
    const others = folders().filter((folder) => folder !== project);
    const key = JSON.stringify([declared, source, of, project, others]);
    const known = this.#hooks.get(id);
    if (known?.key === key) return known.hook;
    const surroundings = { ...parts.surroundings, folders: [project, ...others] };
    const hook = guardedHook(hookOf(declared, rulesOf(read.dialect), source, { ...parts, surroundings }), {
      mayRun: async () => isTrusted() && (await consents.isAllowed(of)),
      refused: () => this.#parts.stale(),
      cwd: read.file.scope === 'workspace' ? project : undefined,
      earlier: () => this.#parts.twins.before(id),
    });
    this.#hooks.set(id, { key, hook });
    return hook;
  }
}

const disabledState: RunState = { is: 'disabled' };

/** Where a hook runs: its own folder, or for one of the user the window's first. */
export function projectOf(
  scope: 'workspace' | 'user',
  base: string,
  { folders, home }: Pick<HookFilesParts, 'folders' | 'home'>,
): string {
  return scope === 'workspace' ? base : (folders()[0] ?? home);
}

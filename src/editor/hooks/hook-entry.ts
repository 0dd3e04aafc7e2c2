import type { ListedHook } from '../../agent/hooks/files/index.ts';
import type { Dialect, Hook, HookKind, HookSource } from '../../agent/hooks/index.ts';
import type { Consentable, RunState } from '../../agent/trust/index.ts';
import type { HookEvent } from '../../hooks-api.ts';

/** A hook as the view shows it, wherever it comes from. */
export interface HookEntry {
  readonly id: string;
  readonly name: string;
  /** Absent for one that is not supported, or cannot be read. */
  readonly event: HookEvent | undefined;
  readonly declaredAs: string;
  readonly matcher: string | undefined;
  readonly dialect: Dialect;
  readonly kind: HookKind;
  readonly source: HookSource;
  readonly state: RunState;
  readonly warnings: readonly string[];
  readonly consentable: Consentable | undefined;
  readonly hook: Hook | undefined;
}

/** What files declare, whether it runs or not, and then what is registered from elsewhere. */
export function hookEntries(
  listed: readonly ListedHook[],
  registered: readonly Hook[],
  enabled: boolean,
): readonly HookEntry[] {
  const inFiles = new Set(listed.map(({ id }) => id));
  return [
    ...listed.map(ofFile),
    ...registered.filter(({ id }) => !inFiles.has(id)).map((hook) => ofCode(hook, enabled)),
  ];
}

function ofFile({ id, name, declared, dialect, source, state, warnings, consentable, hook }: ListedHook): HookEntry {
  const { event, declaredAs, matcher, kind } = declared;
  return { id, name, event, declaredAs, matcher, dialect, kind, source, state, warnings, consentable, hook };
}

function ofCode(hook: Hook, enabled: boolean): HookEntry {
  const { id, name, event, declaredAs, dialect, kind, source } = hook;
  return {
    id,
    name,
    event,
    declaredAs,
    matcher: undefined,
    dialect,
    kind,
    source,
    state: { is: enabled ? 'active' : 'disabled' },
    warnings: [],
    consentable: undefined,
    hook,
  };
}

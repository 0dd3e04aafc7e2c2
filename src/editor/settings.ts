import * as vscode from 'vscode';
import { type LeftOut, readParts } from './settings-parts.ts';
import { type Setting, type SettingName, type SettingValue, settingSchemas } from './settings-schema.ts';

export interface SettingProblem {
  readonly setting: string;
  /** For people: what does not fit and what is used instead. */
  readonly message: string;
  /** Of a map or a list: what does not count, while the rest does. */
  readonly leftOut?: readonly LeftOut[];
}

/** The settings of Midcourse, parsed. A value that does not fit its schema counts as unset and is listed in `problems`. */
export class Settings implements vscode.Disposable {
  readonly #cache = new Map<SettingName, unknown>();
  readonly #problems = new Map<string, SettingProblem>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('midcourse') && !event.affectsConfiguration('chat')) return;
      this.#cache.clear();
      this.#problems.clear();
      this.#changed.fire();
    });
  }

  get<Name extends SettingName>(name: Name): SettingValue<Name> {
    if (!this.#cache.has(name)) this.#cache.set(name, this.#read(name));
    return this.#cache.get(name) as SettingValue<Name>;
  }

  /** Why an entry of a map does not count; undefined when it does, or is not there. */
  refused(name: SettingName, entry: string): string | undefined {
    this.get(name);
    const problem = this.#problems.get(`midcourse.${name}`);
    const own = problem?.leftOut?.filter(({ path }) => path.length === 1 && path[0] === entry) ?? [];
    return own.length === 0 ? undefined : partsMessage(`midcourse.${name}`, own);
  }

  /** Every setting whose value does not fit. */
  problems(): readonly SettingProblem[] {
    for (const name of Object.keys(settingSchemas)) this.get(name as SettingName);
    return [...this.#problems.values()];
  }

  /** The font of VS Code's own chat, which no webview is told about. */
  chatFont(): { readonly family: string; readonly size: number } {
    const chat = vscode.workspace.getConfiguration('chat');
    const family = chat.get<unknown>('fontFamily');
    const size = chat.get<unknown>('fontSize');
    return {
      family: typeof family === 'string' && family !== 'default' ? family : '',
      size: typeof size === 'number' && size >= 6 && size <= 100 ? size : 13,
    };
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #read(name: SettingName): unknown {
    const { schema, fallback }: Setting<unknown> = settingSchemas[name];
    const value = vscode.workspace.getConfiguration('midcourse').get<unknown>(name) ?? fallback;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const setting = `midcourse.${name}`;
    const parts = readParts(schema, value);
    if (parts) {
      this.#problems.set(setting, { setting, message: partsMessage(setting, parts.leftOut), leftOut: parts.leftOut });
      return parts.value;
    }
    const issue = parsed.error.issues[0];
    const where = issue?.path.length ? ` (${issue.path.map(String).join('.')})` : '';
    this.#problems.set(setting, {
      setting,
      message: vscode.l10n.t(
        'The setting {0} does not fit: {1}{2}. Its default is used until you change it.',
        setting,
        issue?.message ?? vscode.l10n.t('wrong value'),
        where,
      ),
    });
    return fallback;
  }
}

/** Mistakes that are named in one sentence. */
const NAMED = 5;

function partsMessage(setting: string, leftOut: readonly LeftOut[]): string {
  const named = leftOut.slice(0, NAMED).map(({ at, message }) => `${at.map(String).join('.')}: ${message}`);
  const more = leftOut.length - named.length;
  const all = more > 0 ? [...named, vscode.l10n.t('and {0} more', more)] : named;
  return vscode.l10n.t(
    'In the setting {0} this does not fit and is left out; the rest counts. {1}',
    setting,
    all.join('; '),
  );
}

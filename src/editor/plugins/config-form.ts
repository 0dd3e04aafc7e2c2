import * as vscode from 'vscode';
import { type ConfigProperty, type ConfigSchema, configProblem, configValues } from '../../agent/plugins/index.ts';

interface Row extends vscode.QuickPickItem {
  readonly name?: string;
  readonly reset?: true;
}

/**
 * The values of a plugin's config schema as a list: choose one, give it a value, until the list is closed.
 *
 * @param save is given all values that are not the defaults
 */
export async function editConfig(
  title: string,
  schema: ConfigSchema,
  given: Readonly<Record<string, unknown>>,
  save: (values: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<void> {
  let values = given;
  for (;;) {
    const chosen = await vscode.window.showQuickPick(rows(schema, values), {
      title,
      placeHolder: vscode.l10n.t('Choose a value to change it'),
      matchOnDetail: true,
    });
    if (!chosen) return;
    if (chosen.reset) values = {};
    else if (chosen.name !== undefined) {
      const property = schema.properties[chosen.name];
      const value = property && (await ask(chosen.name, property, values[chosen.name] ?? property.default));
      if (value === undefined) continue;
      values = { ...values, [chosen.name]: value.value };
    }
    await save(values);
  }
}

function rows(schema: ConfigSchema, given: Readonly<Record<string, unknown>>): readonly Row[] {
  const { values, problems } = configValues(schema, given);
  const all = Object.entries(schema.properties).map(([name, property]): Row => {
    const problem = problems.find((one) => one.startsWith(`${name}: `));
    const detail = [property.description, problem && `$(warning) ${problem}`].filter(Boolean).join('  ');
    return { name, label: property.title ?? name, description: shown(values[name]), ...(detail ? { detail } : {}) };
  });
  if (Object.keys(given).length === 0) return all;
  const reset: Row = { label: `$(discard) ${vscode.l10n.t('Use the defaults for all')}`, reset: true };
  return [...all, { label: '', kind: vscode.QuickPickItemKind.Separator }, reset];
}

function shown(value: unknown): string {
  if (value === undefined) return vscode.l10n.t('no value');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Undefined when the user gave none. */
async function ask(
  name: string,
  property: ConfigProperty,
  now: unknown,
): Promise<{ readonly value: unknown } | undefined> {
  const title = property.title ?? name;
  switch (property.type) {
    case 'boolean':
      return await choose(title, property, [
        { label: vscode.l10n.t('on'), value: true },
        { label: vscode.l10n.t('off'), value: false },
      ]);
    case 'string':
      if (property.enum)
        return await choose(
          title,
          property,
          property.enum.map((value) => ({ label: value, value })),
        );
      return await type(title, property, shownForEdit(now), (text) => text);
    case 'number':
    case 'integer':
      return await type(title, property, shownForEdit(now), (text) => (text.trim() === '' ? Number.NaN : Number(text)));
    case 'array': {
      const allowed = property.items.enum;
      if (allowed) return await chooseSome(title, property, allowed, now);
      return await type(title, property, shownForEdit(now), (text) =>
        text
          .split(',')
          .map((entry) => entry.trim())
          .filter((entry) => entry !== ''),
      );
    }
    default:
      return property satisfies never;
  }
}

function shownForEdit(now: unknown): string {
  return now === undefined ? '' : shown(now);
}

async function type(
  title: string,
  property: ConfigProperty,
  value: string,
  parse: (text: string) => unknown,
): Promise<{ readonly value: unknown } | undefined> {
  const hint = property.type === 'array' ? vscode.l10n.t('Separate several with commas.') : '';
  const text = await vscode.window.showInputBox({
    title,
    value,
    prompt: [property.description, hint].filter(Boolean).join(' '),
    ignoreFocusOut: true,
    validateInput: (typed) => configProblem(property, parse(typed)) ?? null,
  });
  return text === undefined ? undefined : { value: parse(text) };
}

async function choose(
  title: string,
  property: ConfigProperty,
  choices: readonly (vscode.QuickPickItem & { readonly value: unknown })[],
): Promise<{ readonly value: unknown } | undefined> {
  const chosen = await vscode.window.showQuickPick(choices, {
    title,
    ...(property.description === undefined ? {} : { placeHolder: property.description }),
  });
  return chosen && { value: chosen.value };
}

async function chooseSome(
  title: string,
  property: ConfigProperty,
  allowed: readonly string[],
  now: unknown,
): Promise<{ readonly value: unknown } | undefined> {
  const picked = Array.isArray(now) ? now : [];
  const chosen = await vscode.window.showQuickPick(
    allowed.map((label) => ({ label, picked: picked.includes(label) })),
    { title, canPickMany: true, ...(property.description === undefined ? {} : { placeHolder: property.description }) },
  );
  if (!chosen) return undefined;
  const value = chosen.map(({ label }) => label);
  const problem = configProblem(property, value);
  if (problem === undefined) return { value };
  void vscode.window.showWarningMessage(problem);
  return undefined;
}

import type { Dialect } from '../types.ts';
import { claudeRules } from './claude/index.ts';
import { clineRules } from './cline/index.ts';
import { codexRules } from './codex/index.ts';
import { copilotRules } from './copilot/index.ts';
import { hermesRules } from './hermes/index.ts';
import type { DialectRules } from './types.ts';
import { vscodeRules } from './vscode/index.ts';

export { hooksOfFolder } from './cline/index.ts';
export { dialectOfHooksFile } from './shared-folder.ts';
export type * from './types.ts';

/** Dialects that files are written in; hooks of our own are code. */
const rules = {
  claude: claudeRules,
  codex: codexRules,
  vscode: vscodeRules,
  copilot: copilotRules,
  hermes: hermesRules,
  cline: clineRules,
} satisfies Partial<Record<Dialect, DialectRules>>;

/** @throws TypeError for `midcourse`, in which no file is written */
export function rulesOf(dialect: Dialect): DialectRules {
  if (dialect in rules) return rules[dialect as keyof typeof rules];
  throw new TypeError(`No hook file is written in the dialect ${dialect}.`);
}

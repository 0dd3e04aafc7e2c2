import type { DialectRules } from '../types.ts';
import { readConfig } from './config.ts';
import { matches } from './matcher.ts';
import { readOutput } from './output.ts';
import { stdin } from './stdin.ts';

/** Hook files of VS Code's agent (`.github/hooks/*.json`). */
export const vscodeRules: DialectRules = {
  dialect: 'vscode',
  readConfig,
  matches,
  stdin,
  environment: () => ({}),
  readOutput,
};

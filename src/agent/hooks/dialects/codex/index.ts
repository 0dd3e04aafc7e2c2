import type { DialectRules } from '../types.ts';
import { readConfig } from './config.ts';
import { matches } from './matcher.ts';
import { readOutput } from './output.ts';
import { stdin } from './stdin.ts';

/** Hook files of Codex (`.codex/hooks.json`). */
export const codexRules: DialectRules = {
  dialect: 'codex',
  readConfig,
  matches,
  stdin,
  // Codex gives its hooks nothing but what it was started with.
  environment: () => ({}),
  readOutput,
};

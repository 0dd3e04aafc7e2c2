import type { DialectRules } from '../types.ts';
import { readConfig } from './config.ts';
import { matches } from './matcher.ts';
import { readOutput } from './output.ts';
import { stdin } from './stdin.ts';

/** Shell hooks of Hermes (the `hooks:` block of its `config.yaml`). */
export const hermesRules: DialectRules = {
  dialect: 'hermes',
  readConfig,
  matches,
  stdin,
  environment: () => ({}),
  readOutput,
};

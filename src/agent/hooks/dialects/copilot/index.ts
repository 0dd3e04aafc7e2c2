import type { DialectRules } from '../types.ts';
import { readConfig } from './config.ts';
import { matches } from './matcher.ts';
import { readOutput } from './output.ts';
import { stdin } from './stdin.ts';

/** Hook files of Copilot's command line (`version: 1` and camelCase events). */
export const copilotRules: DialectRules = {
  dialect: 'copilot',
  readConfig,
  matches,
  stdin,
  environment: () => ({}),
  readOutput,
};

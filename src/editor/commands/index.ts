/** The door to the commands. It is loaded when the first of them runs; `register.ts` names them before that. */

import { approvalCommands } from './approvals.ts';
import type { Command } from './command.ts';
import { controlCommands } from './control.ts';
import { customisationCommands } from './customisations.ts';
import { hookCommands } from './hooks.ts';
import { itemCommands } from './items.ts';
import { modelCommands } from './models.ts';
import { pluginCommands } from './plugins.ts';
import { processCommands } from './processes.ts';
import type { CommandId } from './register.ts';
import { serverCommands } from './servers.ts';
import { sessionCommands } from './sessions.ts';
import { webhookCommands } from './webhooks.ts';
import { windowCommands } from './window.ts';

export type { CommandHost } from './command.ts';

export const commands: Readonly<Record<CommandId, Command>> = {
  ...controlCommands,
  ...itemCommands,
  ...approvalCommands,
  ...sessionCommands,
  ...modelCommands,
  ...processCommands,
  ...hookCommands,
  ...customisationCommands,
  ...webhookCommands,
  ...serverCommands,
  ...pluginCommands,
  ...windowCommands,
};

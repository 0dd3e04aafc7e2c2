import type { Log } from '../../../src/agent/turn/types.ts';

const nothing = (): void => undefined;

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

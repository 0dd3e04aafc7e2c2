/** Codex as a model: the `codex app-server` program behind the same seam as every other one. */

export { type CodexOptions, type CodexWire, createCodexWire } from './wire.ts';

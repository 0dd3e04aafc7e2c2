import { commandEnvironment } from '../../tools/index.ts';

/** What tells a command of Codex about its call; a Codex inside of such a command must not pass it on as its own. */
const OF_A_CALL = /^CODEX_(TOOL_CALL_ID|THREAD_ID|SESSION_ID)$/;

/**
 * The environment of the Codex process: as for commands, without the keys of other providers, since what Codex runs
 * gets its environment. Its own variables stay, such as `CODEX_HOME` and `OPENAI_API_KEY`.
 */
export function codexEnvironment(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(host).filter(([name]) => /^(CODEX|OPENAI)_/.test(name) && !OF_A_CALL.test(name));
  const kept = Object.entries(commandEnvironment(host)).filter(([name]) => !OF_A_CALL.test(name));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(own) };
}

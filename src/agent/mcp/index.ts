/** The door to MCP servers. What speaks the protocol is loaded by the first server that starts. */

export type { Variables } from './config/fill-in.ts';
export {
  type ReadingServers,
  type ReadServers,
  readServersFile,
  readServersSetting,
} from './config/read-servers.ts';
export { readWorkspaceServers } from './config/read-workspace-servers.ts';
export { scriptsOfServer } from './config/scripts-of-server.ts';
export { pluginServerName, toolName } from './names.ts';
export { answersSignIn } from './oauth/answer.ts';
export { type Loopback, listenForRedirect } from './oauth/loopback.ts';
export { readSignedIn, type SignedIn } from './oauth/signed-in.ts';
export { heldWords, McpServer, type McpServerState } from './server.ts';
export { McpServers, type McpServersNeeds, type ToolShelf } from './servers.ts';
export type { Challenge, McpAuth } from './transport/http.ts';
export type * from './types.ts';
export { unlessAborted } from './unless-aborted.ts';

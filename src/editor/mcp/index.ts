/** The door to MCP servers in the editor. */

export { consentableServer } from './consentable.ts';
export { EnteredValues } from './entered-values.ts';
export { ServersRoom } from './servers-room.ts';
export { type ServerNode, ServersView } from './servers-view.ts';
export { SignIns } from './sign-ins.ts';
export { lookOfLanguageServer, lookOfServer } from './state-words.ts';
export { type PluginServers, WindowServers } from './window-servers.ts';

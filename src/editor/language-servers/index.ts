/** The door to language servers that files and plugins declare. */

export { LanguageServer, type LanguageServerState } from './language-server.ts';
export {
  consentableLanguageServer,
  type PluginLanguageServers,
  WindowLanguageServers,
} from './window-language-servers.ts';

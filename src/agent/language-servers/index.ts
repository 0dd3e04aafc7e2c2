/** The door to what declares language servers. They run in the editor (`src/editor/language-servers`). */

export { type ReadingLanguageServers, type ReadLanguageServers, readLanguageServers } from './read-language-servers.ts';
export type * from './types.ts';

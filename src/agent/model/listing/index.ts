/** What servers say of the models that they have. */

export { type ListRequest, listModels } from './list-models.ts';
export { type LocalServer, localFacts, localServerOf } from './local-servers.ts';
export type { ListedModel } from './replies.ts';

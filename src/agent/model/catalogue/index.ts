/** What is known of providers and models: addresses, ways, windows, prices. Data, with its date and source. */

export { hostName, isHost, isLocal } from './host.ts';
export { type Quirks, type QuirksOf, quirksOf } from './quirks.ts';

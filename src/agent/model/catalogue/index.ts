/** What is known of providers and models: addresses, ways, windows, prices. Data, with its date and source. */

export { APIS, type Api, type ApiSource, type DetectedApi, detectApi, fallbackApi } from './detect.ts';
export { hostName, isHost, isLocal } from './host.ts';
export { type ImageLimits, imageLimits } from './image-limits.ts';
export { familyName, longestKey } from './names.ts';
export { type Quirks, type QuirksOf, quirksOf } from './quirks.ts';

/** What is known of providers and models: addresses, ways, windows, prices. Data, with its date and source. */

export { APIS, type Api, type ApiSource, type DetectedApi, detectApi, fallbackApi } from './detect.ts';
export { EFFORTS, effortFor, type Ladder } from './effort.ts';
export { hostName, isHost, isLocal } from './host.ts';
export { IMAGE_TOKENS, type ImageLimits, imageLimits } from './image-limits.ts';
export {
  familyOf,
  type KnownModel,
  knownModel,
  type ModelFacts,
  outputToAskFor,
  type SaidOfModel,
  SMALL_WINDOW,
  UNKNOWN_WINDOW,
  type WindowSource,
} from './models.ts';
export { familyName, longestKey, splitRef } from './names.ts';
export { PRICE_LISTS, priceOf } from './prices.ts';
export { FIRST_BY_KEY, PRESETS, type Preset } from './providers.ts';
export { type Quirks, type QuirksOf, quirksOf, thinksAlways } from './quirks.ts';
export { type FallbackAddress, type ProviderEntry, type Route, routeOf, speaksHttp } from './route.ts';
export { type RouterPreferences, routerPreferences } from './router-preferences.ts';

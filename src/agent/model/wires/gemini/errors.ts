/** What people need to know of Google's refusals, whose own words send them the wrong way. */

import type { ModelError } from '../../types.ts';

interface Advice {
  readonly fits: (error: ModelError, apiKey: string | undefined) => boolean;
  readonly words: string;
}

const KEY_PAGE = 'https://aistudio.google.com/apikey';

/** The first that fits counts. */
const ADVICE: readonly Advice[] = [
  {
    fits: ({ status, detail }) => status === 429 && /free[_ -]?tier/i.test(detail),
    words: `This key's project is on Google's free tier, whose limits are low. Turn on billing for it at ${KEY_PAGE}, or choose a smaller model.`,
  },
  {
    // Google asks for OAuth here, which would not help: it is the kind of the key that it takes no more.
    fits: ({ status, detail }) =>
      status === 401 && /expected oauth ?2 access token|ACCESS_TOKEN_TYPE_UNSUPPORTED/i.test(detail),
    words: `Google takes this kind of key no longer. Make a new one at ${KEY_PAGE}.`,
  },
  {
    fits: ({ status, detail }, apiKey) =>
      status === 400 && apiKey?.startsWith('AIza') === true && /api key not valid|API_KEY_INVALID/i.test(detail),
    words: `Keys that begin with AIza are of an older kind that Google takes no longer. Make a new one at ${KEY_PAGE}.`,
  },
  {
    // Both of Google's services have keys that look alike and are refused by the other one.
    fits: ({ status, detail }) =>
      status === 403 && /are blocked|has not been used in project|SERVICE_DISABLED|aiplatform/i.test(detail),
    words: `The key may belong to Google's other service: keys of AI Studio work at generativelanguage.googleapis.com, keys of Vertex AI at aiplatform.googleapis.com. Set the matching baseUrl in midcourse.providers, or make a key at ${KEY_PAGE}.`,
  },
];

/** @param apiKey what was sent; only its kind is looked at */
export function explainGemini(error: ModelError, apiKey: string | undefined): ModelError {
  const advice = ADVICE.find(({ fits }) => fits(error, apiKey));
  return advice === undefined ? error : { ...error, message: `${error.message} ${advice.words}` };
}

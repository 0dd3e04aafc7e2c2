/** Which kind of failure a refusal is, by its status and the provider's words. Data: the first rule that fits decides. */

import type { ModelErrorKind } from '../types.ts';

interface Rule {
  readonly kind: ModelErrorKind;
  /** Any status when absent. */
  readonly on?: readonly (number | readonly [from: number, to: number])[];
  /** In lower case. */
  readonly says?: RegExp;
  /** And nothing of this. */
  readonly unless?: RegExp;
  /** Only for a web page. */
  readonly page?: true;
}

/** A limit that ends by itself. */
const PASSES = /try again|retry (in|after)|resets? (in|at)|wait|temporar/;
const LIMIT = /usage limit|rate limit|too many requests|quota|throttl/;
const CREDIT =
  /insufficient[ _](quota|credits?|balance|funds)|credit balance|credits? (has|have) (run out|been exhausted)|out of credits|more credits|payment required|exceeded your current quota|arrears|billing/;
const NO_MODEL =
  /model_not_found|model_not_supported|model_not_available|(model|deployment)\b.{0,80}(not (found|exist|available|supported)|does not exist|doesn't exist|unknown|invalid)|(unknown|invalid|no such|not a valid) model|not_found_error.{0,40}model|no access to model|access to (the )?model/s;

/** Somebody's own limit on what may be spent, not an empty account. */
export const SPEND_CAP =
  /spend(ing)?[ _](limit|cap)|key limit exceeded|billing_hard_limit|(monthly|weekly|daily) (spend|budget|limit)|budget.{0,20}(exceeded|reached)|specified api usage limits/;

const CLIENT = [[400, 499]] as const;
const REFUSED = [400, 415, 422] as const;
const REFUSED_OR_BROKEN = [400, 413, 415, 422, [500, 599]] as const;

/** The order matters: a refusal for its content stays one whatever status it came with. */
const RULES: readonly Rule[] = [
  {
    kind: 'content_policy',
    says: /content_filter|content[ _]policy|content management policy|responsibleaipolicyviolation|safety (system|policy|filter)|usage polic(y|ies)|guardrail_intervened|prohibited_content/,
  },
  { kind: 'not_json', on: [[300, 399]] },
  { kind: 'long_context_tier', on: [429], says: /(?=.*extra usage)(?=.*long context)/s },
  // A relay may wrap its upstream's refusal in a status of its own.
  {
    kind: 'bad_request',
    on: REFUSED_OR_BROKEN,
    says: /(unknown|unsupported|unrecognized|unexpected|invalid) (request )?(parameter|argument|field)|is not supported with|not supported with this model|extra inputs are not permitted/,
    // Words about an image stand first: "unsupported field image_url" is about what the model sees.
    unless: /image/,
  },
  {
    kind: 'image_rejected',
    on: [404, ...REFUSED],
    says: /image.{0,60}(exceed|too (large|big|many)|larger than|dimension|invalid|corrupt|unsupported|not supported|could not|failed)|(could not|cannot|unable to|failed to) (process|decode|read|load|download).{0,20}image|(invalid|unsupported|unprocessable|corrupt)[ _]image|(not|n't) support.{0,30}(image|vision|multimodal)|support image input|(multimodal|image_url|vision).{0,60}(not|un)[ -]?(allowed|supported)|(expects?|must be) a string.{0,40}(content|array)/s,
  },
  {
    kind: 'output_cap',
    on: [429, ...REFUSED_OR_BROKEN],
    says: /max_?(completion_|output_|new_)?tokens\W.{0,60}(too (large|big|high)|exceed|must be (less|at most|<|smaller|between)|valid range|> ?\d)|range of max_|maximum allowed number of output tokens|supports at most [\d,]+ (completion|output) tokens|maximum output (length|tokens)|maxoutputtokens/s,
    unless: /context_length_exceeded/,
  },
  {
    kind: 'reasoning_mandatory',
    on: REFUSED,
    says: /(reasoning|thinking).{0,40}(mandatory|must be enabled|(can|may) ?not be (disabled|turned off))/s,
  },
  { kind: 'auth', on: [401] },
  { kind: 'billing', on: [402, 403, 404, 429], says: SPEND_CAP },
  // biome-ignore lint/plugin: made of two constants of this file.
  { kind: 'rate_limit', on: [402], says: new RegExp(`(?=.*(?:${LIMIT.source}))(?=.*(?:${PASSES.source}))`, 's') },
  { kind: 'billing', on: [402] },
  {
    kind: 'provider_policy',
    on: [403, 404, 400],
    says: /data policy|privacy settings|no allowed providers|guardrail restrictions|unsupported_country/,
  },
  { kind: 'model_not_found', on: [403, 404], says: NO_MODEL },
  { kind: 'billing', on: [403, 404], says: CREDIT },
  { kind: 'not_json', on: [403, 404], page: true },
  { kind: 'auth', on: [403] },
  // Nothing is said of a model: an address that is wrong, or a gateway that is not ready.
  { kind: 'unknown', on: [404] },
  { kind: 'timeout', on: [408] },
  { kind: 'billing', on: [429], says: /insufficient_quota/ },
  { kind: 'overloaded', on: [429], says: /overload|at capacity|capacity exceeded|\b1305\b/ },
  // The key is not at fault: the router's own account with the model's maker is used up for the moment.
  { kind: 'overloaded', on: [429], says: /upstream/ },
  { kind: 'billing', on: [429], says: CREDIT, unless: PASSES },
  { kind: 'rate_limit', on: [429] },
  { kind: 'overloaded', on: [503, 529] },
  {
    kind: 'context_overflow',
    on: REFUSED_OR_BROKEN,
    says: /context_length_exceeded|(maximum|max|model'?s?) context|context (window|length|size|limit)|prompt is too long|input is too long|(input|prompt) (token count|length).{0,40}exceed|too many (input |prompt )?tokens|exceed\w*.{0,30}token limit|token limit (was )?exceeded|tokens? > [\d,]+ maximum|exceeds? the (available )?context|reduce the length|n_ctx/s,
  },
  { kind: 'payload_too_large', on: [413] },
  { kind: 'payload_too_large', says: /request_too_large|request (entity|body)? ?(is )?too large|payload too large/ },
  { kind: 'overloaded', on: [[500, 599]], says: /overloaded|at capacity|capacity exceeded/ },
  { kind: 'server', on: [[500, 599]] },
  {
    kind: 'auth',
    on: CLIENT,
    says: /invalid[ _]api[ _]?key|incorrect api key|api key (is )?(not valid|invalid|expired)|subscription.{0,40}(required|expired)/,
  },
  { kind: 'billing', on: CLIENT, says: SPEND_CAP },
  { kind: 'rate_limit', on: CLIENT, says: /rate limit|too many requests|throttl/ },
  { kind: 'billing', on: CLIENT, says: CREDIT },
  { kind: 'model_not_found', on: CLIENT, says: NO_MODEL },
  { kind: 'not_json', on: CLIENT, page: true },
  { kind: 'bad_request', on: CLIENT },
];

/**
 * @param said the provider's words
 * @param page the body is a web page
 */
export function kindOfRefusal(status: number, said: string, page: boolean): ModelErrorKind {
  const text = said.toLowerCase();
  const rule = RULES.find(
    ({ on, says, unless, page: ofPage }) =>
      (on === undefined || on.some((one) => includes(one, status))) &&
      (says === undefined || says.test(text)) &&
      unless?.test(text) !== true &&
      (ofPage === undefined || page),
  );
  return rule?.kind ?? 'unknown';
}

function includes(one: number | readonly [number, number], status: number): boolean {
  return typeof one === 'number' ? one === status : status >= one[0] && status <= one[1];
}

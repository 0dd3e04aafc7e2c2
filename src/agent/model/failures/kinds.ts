import type { ModelErrorKind } from '../types.ts';
import type { Endpoint } from './failure.ts';

interface Context {
  readonly said?: string | undefined;
  readonly why?: string | undefined;
  /** A limit that somebody has set on what may be spent, not an empty account. */
  readonly capped?: boolean;
  /** The server has nothing at this address. */
  readonly nothingThere?: boolean;
}

/** Of an answer that broke off before anything of it could be seen. */
export function nothingCame({ host, model }: Endpoint): string {
  return `${host} ended its answer before ${model} had said anything. Your message is kept. Try again, or choose another model.`;
}

interface Words {
  readonly message: string;
  /** The command that mends it. */
  readonly action?: string;
}

/**
 * What happened, what it means for the user's work, what to do. `said` are the provider's own (redacted) words, which
 * help where the kind alone does not say enough; `why` is the reason that the network gave.
 */
export function describeKind(kind: ModelErrorKind, endpoint: Endpoint, context: Context = {}): Words {
  const { host, model } = endpoint;
  const said = quote(context.said);
  switch (kind) {
    case 'auth':
      return words(
        endpoint.hasKey
          ? `${host} did not accept the API key. Your message is kept. Set the right key, then send again.`
          : `${host} wants an API key. Your message is kept. Set a key, then send again.`,
        'midcourse.setApiKey',
      );
    case 'billing':
      return words(
        context.capped
          ? `The spending limit that is set at ${host} is reached.${said} Your message is kept. Have the limit raised there, or choose another model.`
          : `${host} refused for lack of credit.${said} Your message is kept. Add credit there, or choose another model.`,
        'midcourse.selectModel',
      );
    case 'rate_limit':
      return words(
        `${host} limits how much you may send, and the limit is reached.${said} Your work is kept. Wait a little and try again, or choose another model.`,
        'midcourse.retryTurn',
      );
    case 'overloaded':
      return words(
        `${host} is overloaded. Your work is kept. Try again in a moment, or choose another model.`,
        'midcourse.retryTurn',
      );
    case 'server':
      return words(
        `${host} had an internal failure. Your work is kept. Try again; if it stays so, choose another model.`,
        'midcourse.retryTurn',
      );
    case 'network':
      return words(
        `There is no connection to ${host}${context.why === undefined ? '' : `: ${context.why}`}. Your message is kept. Check the provider's address and your network, then try again.`,
        'midcourse.testConnection',
      );
    case 'timeout':
      return words(
        `${host} did not answer in time. Your work is kept. Try again, or choose a faster model.`,
        'midcourse.retryTurn',
      );
    case 'stream_cut':
      return words(
        `The answer of ${model} broke off. What you saw is kept, and nothing was run from the incomplete part. Try again.`,
        'midcourse.retryTurn',
      );
    case 'context_overflow':
      return words(
        `The conversation is longer than ${model} can read. Nothing is lost. Compact the conversation, or choose a model with a larger window.`,
        'midcourse.compact',
      );
    case 'bad_request':
      return words(
        `${host} refused the request.${said} Your message is kept. Check the provider's settings, or choose another model.`,
        'midcourse.testConnection',
      );
    case 'model_not_found':
      return words(
        `${host} has no model named ${model}. Your message is kept. Choose another model.`,
        'midcourse.selectModel',
      );
    case 'content_policy':
      return words(
        `${host} refused this content by its policy.${said} Your work is kept. Word the request differently, or choose another model.`,
        'midcourse.selectModel',
      );
    case 'not_json':
      return words(
        `${host} answered with something that is no model answer, such as a web page. Your message is kept. Check the provider's address (baseUrl) and any proxy or login in between.`,
        'midcourse.testConnection',
      );
    case 'consent':
      return words(
        `The use of ${model} was not allowed. Your message is kept. Send again and allow it, or choose another model.`,
        'midcourse.selectModel',
      );
    case 'payload_too_large':
      return words(
        `The conversation is larger than ${host} takes in one request. Nothing is lost. Compact the conversation, or start a new one.`,
        'midcourse.compact',
      );
    case 'output_cap':
      return words(
        `${model} does not write answers as long as were asked for.${said} Your work is kept. Lower maxOutput of the model in midcourse.providers.`,
        'midcourse.retryTurn',
      );
    case 'long_context_tier':
      return words(
        `The plan at ${host} has no long window for ${model}. Nothing is lost. Compact the conversation, or choose another model.`,
        'midcourse.compact',
      );
    case 'image_rejected':
      return words(
        `${model} refused an image.${said} Your message is kept. Send it without the image, or choose a model that sees images.`,
        'midcourse.selectModel',
      );
    case 'reasoning_mandatory':
      return words(
        `${model} does not answer without thinking.${said} Your message is kept. Choose an effort for it, or another model.`,
        'midcourse.selectModel',
      );
    case 'provider_policy':
      return words(
        `${host} has no provider for ${model} that your account's rules allow.${said} Your message is kept. Change the rules there, or choose another model.`,
        'midcourse.selectModel',
      );
    case 'unknown':
      if (context.nothingThere) {
        return words(
          `${host} has nothing at this address.${said} Your work is kept. Check the provider's address (baseUrl), or choose another model.`,
          'midcourse.testConnection',
        );
      }
      return words(
        `The request to ${host} failed in an unexpected way. Your work is kept. Try again; the log has the details.`,
        'midcourse.showLog',
      );
    default:
      return kind satisfies never;
  }
}

function words(message: string, action: string): Words {
  return { message, action };
}

const LONGEST_QUOTE = 300;

function quote(said: string | undefined): string {
  const line = (said ?? '').replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  return ` It says: “${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}”`;
}

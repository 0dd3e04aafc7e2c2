/** What the servers that speak Chat Completions refuse, each on its own: rules that the table of dialects picks from. */

import { type ChatMessage, eachCall, eachMessage, eachTool, first, type Rule } from './chat-body.ts';

/** The field is unknown in each message of that role, in any of them by default. */
export function noMessageField(field: string, of?: string): Rule {
  return eachMessage((message, index) =>
    field in message && (of === undefined || message.role === of)
      ? `'messages.${index}' : for 'role:${message.role}' property '${field}' is unsupported`
      : undefined,
  );
}

export function noBodyField(field: string): Rule {
  return ({ body }) => (field in body ? `Extra inputs are not permitted: body.${field}` : undefined);
}

export const noDeveloper: Rule = eachMessage(({ role }, index) =>
  role === 'developer' ? `messages[${index}].role: unknown variant \`developer\`` : undefined,
);

export function idsFit(pattern: RegExp, must: string): Rule {
  const wrong = (id: string) => (pattern.test(id) ? undefined : `Tool call id was ${id} but must be ${must}.`);
  const inCalls = eachCall(({ id }) => wrong(id));
  const inResults = eachMessage(({ tool_call_id: id }) => (id === undefined ? undefined : wrong(id)));
  return (request) => inCalls(request) ?? inResults(request);
}

/** Which roles may stand behind which. */
export function order(allowed: Readonly<Record<string, readonly string[]>>): Rule {
  return ({ body: { messages } }) =>
    first(messages.slice(1), ({ role }, before) => {
      const previous = messages[before]?.role ?? '';
      return allowed[previous]?.includes(role) ? undefined : `Unexpected role '${role}' after role '${previous}'`;
    });
}

export const lastIsAsked: Rule = ({ body: { messages } }) => {
  const role = messages.at(-1)?.role;
  if (role === 'user' || role === 'tool') return undefined;
  return `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${role}`;
};

/** Each batch has as many results as calls. */
export const resultsAreCounted: Rule = ({ body: { messages } }) =>
  first(messages, ({ tool_calls: calls = [] }, index) => {
    const behind = messages.slice(index + 1);
    const end = behind.findIndex(({ role }) => role !== 'tool');
    const results = end < 0 ? behind.length : end;
    return calls.length > 0 && results !== calls.length
      ? 'Not the same number of function calls and responses'
      : undefined;
  });

/** Blank words are none; without words an assistant needs calls. */
export const noBlankMessage: Rule = eachMessage((message, index) => {
  const isBlank = wordsOf(message).trim() === '' && !hasImages(message);
  const calls = message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0;
  if (calls)
    return message.content === null || message.content === undefined || !isBlank ? undefined : BLANK(message, index);
  return isBlank ? BLANK(message, index) : undefined;
});

const BLANK = ({ role }: ChatMessage, index: number) =>
  `Invalid request: the message at position ${index} with role '${role}' must not be empty`;

export const oneSystemFirst: Rule = eachMessage(({ role }, index) =>
  role === 'system' && index > 0 ? 'invalid params, invalid chat setting (2013)' : undefined,
);

/** In thinking mode, which is on unless it was turned off. */
export const callsNeedReasoning: Rule = (request) =>
  request.body.thinking?.type === 'disabled'
    ? undefined
    : eachMessage((message, index) => {
        const isCall = message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0;
        const { reasoning_content: reasoning } = message;
        if (!isCall || (typeof reasoning === 'string' && reasoning !== '')) return undefined;
        return `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`;
      })(request);

export const argumentsAreObjects: Rule = eachCall(({ id, function: { arguments: text } }) => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
  } catch {
    // As wrong as a list.
  }
  return `invalid function arguments json string, tool_call_id: ${id}`;
});

export const toolsHaveParameters: Rule = eachTool(({ parameters }) =>
  parameters === undefined || Object.keys(parameters).length === 0 ? 'function parameters is empty (2013)' : undefined,
);

export function toolNames(pattern: RegExp): Rule {
  return eachTool(({ name }) => (pattern.test(name) ? undefined : `Invalid request: function name ${name} is invalid`));
}

/** Images stand in the request as data, not behind an address. */
export const imagesAreData: Rule = eachMessage(({ content }) =>
  Array.isArray(content) &&
  content.some(({ image_url: image }) => image !== undefined && !image.url.startsWith('data:image/'))
    ? 'invalid image input'
    : undefined,
);

export function imagesNeedHeader(name: string): Rule {
  return ({ body, headers }) =>
    body.messages.some(hasImages) && headers[name.toLowerCase()] !== 'true'
      ? `missing required ${name} header for vision requests`
      : undefined;
}

/** Some models take calls by the Responses API alone, or here only without reasoning. */
export function noToolsFor(models: RegExp, unless: { readonly effort?: string } = {}): Rule {
  return ({ body }) =>
    body.tools.length > 0 &&
    models.test(body.model) &&
    (unless.effort === undefined || body.reasoning_effort !== unless.effort)
      ? `Function tools with reasoning_effort are not supported for ${body.model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`
      : undefined;
}

/** Models that reason know the limit of their output by its newer name. */
export const newOutputLimit: Rule = ({ body }) =>
  'max_tokens' in body && /^(gpt-[5-9]|o\d)/.test(body.model)
    ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    : undefined;

function hasImages({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image_url');
}

function wordsOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}

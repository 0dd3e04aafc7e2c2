/**
 * The dialects of Chat Completions, by the id of the provider whose route claims to speak it: what a server refuses that
 * others take, each rule with the address where it is documented, or was reported where the documents are silent.
 */

import { ChatBody, type Rule } from './chat-body.ts';
import * as rules from './rules.ts';
import { moonshotSchemas, openAiSchemas, xaiSchemas } from './schema-rules.ts';

/** Fields that only some servers know. */
export type Extra = 'reasoning_content' | 'reasoning_details' | 'extra_content' | 'cache_control';

export interface Dialect {
  /** What the route has to be asked by to speak it. */
  readonly takes: readonly Extra[];
  readonly rules: readonly { readonly from: string; readonly refuses: Rule }[];
}

const OPENAI_REFERENCE = 'https://platform.openai.com/docs/api-reference/chat/create';
const OPENAI_FUNCTIONS = 'https://platform.openai.com/docs/guides/function-calling';
const DEEPSEEK_THINKING = 'https://api-docs.deepseek.com/guides/thinking_mode';
const KIMI_EMPTY = 'https://github.com/anomalyco/opencode/issues/39451';
const MISTRAL_ORDER =
  'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py';

const LENGTH_64: Rule = rules.idsFit(/^.{1,64}$/s, 'a string with a maximum length of 64');

const OPENAI_RULES: Dialect['rules'] = [
  { from: OPENAI_REFERENCE, refuses: LENGTH_64 },
  { from: OPENAI_FUNCTIONS, refuses: openAiSchemas },
];

/** Without a dialect: what is refused by the most. */
const ANY: Dialect = { takes: ['reasoning_content'], rules: [{ from: OPENAI_REFERENCE, refuses: LENGTH_64 }] };

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: {
    takes: [],
    rules: [
      ...OPENAI_RULES,
      { from: OPENAI_REFERENCE, refuses: rules.newOutputLimit },
      {
        from: 'https://github.com/BerriAI/litellm/pull/34569',
        refuses: rules.noToolsFor(/^gpt-(5\.[6-9]|[6-9])/, { effort: 'none' }),
      },
    ],
  },
  azure: {
    takes: [],
    rules: [
      ...OPENAI_RULES,
      { from: OPENAI_REFERENCE, refuses: rules.newOutputLimit },
      { from: 'https://github.com/maximhq/bifrost/issues/7275', refuses: rules.noToolsFor(/^gpt-(5\.[6-9]|[6-9])/) },
    ],
  },
  copilot: {
    takes: [],
    rules: [
      ...OPENAI_RULES,
      {
        from: 'https://github.com/microsoft/vscode-copilot-chat/blob/main/src/platform/networking/common/networking.ts',
        refuses: rules.imagesNeedHeader('Copilot-Vision-Request'),
      },
    ],
  },
  mistral: {
    takes: [],
    rules: [
      { from: 'https://github.com/avante-corp/avante.nvim/issues/2347', refuses: rules.noBodyField('stream_options') },
      {
        from: 'https://github.com/editor-code-assistant/eca/issues/231',
        refuses: rules.noBodyField('max_completion_tokens'),
      },
      { from: 'https://docs.mistral.ai/api/#tag/chat', refuses: rules.noDeveloper },
      {
        from: 'https://github.com/nearai/ironclaw/issues/1241',
        refuses: rules.idsFit(/^[a-zA-Z0-9]{9}$/, 'a-z, A-Z, 0-9, with a length of 9'),
      },
      {
        from: MISTRAL_ORDER,
        refuses: rules.order({
          system: ['user', 'assistant', 'system'],
          user: ['assistant', 'system', 'user'],
          assistant: ['assistant', 'user', 'tool'],
          tool: ['assistant', 'tool'],
        }),
      },
      { from: MISTRAL_ORDER, refuses: rules.resultsAreCounted },
      { from: 'https://github.com/0xPlaygrounds/rig/pull/1130', refuses: rules.lastIsAsked },
      { from: MISTRAL_ORDER, refuses: rules.noBlankMessage },
    ],
  },
  deepseek: {
    takes: ['reasoning_content'],
    rules: [
      { from: 'https://api-docs.deepseek.com/api/create-chat-completion', refuses: rules.noDeveloper },
      { from: DEEPSEEK_THINKING, refuses: rules.callsNeedReasoning },
    ],
  },
  moonshot: {
    takes: ['reasoning_content'],
    rules: [
      { from: KIMI_EMPTY, refuses: rules.noBlankMessage },
      { from: 'https://github.com/continuedev/continue/issues/11600', refuses: rules.callsNeedReasoning },
      {
        from: 'https://platform.kimi.ai/docs/api/tool-use',
        refuses: rules.toolNames(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/),
      },
      { from: 'https://github.com/vercel/ai/pull/18921', refuses: moonshotSchemas },
      { from: 'https://platform.kimi.ai/docs/api/chat', refuses: rules.noDeveloper },
    ],
  },
  minimax: {
    takes: ['reasoning_content', 'reasoning_details'],
    rules: [
      { from: 'https://github.com/QwenLM/qwen-code/issues/11834', refuses: rules.toolsHaveParameters },
      { from: 'https://github.com/netease-youdao/LobsterAI/pull/123', refuses: rules.oneSystemFirst },
      { from: 'https://github.com/earendil-works/pi/issues/5468', refuses: rules.argumentsAreObjects },
      { from: 'https://platform.minimax.io/docs/api-reference/text-openai-api', refuses: rules.noDeveloper },
    ],
  },
  groq: {
    takes: [],
    rules: [
      { from: 'https://github.com/janhq/jan/issues/8136', refuses: rules.noMessageField('reasoning_content') },
      { from: 'https://github.com/karthink/gptel/issues/774', refuses: rules.noMessageField('reasoning') },
      { from: 'https://console.groq.com/docs/tool-use', refuses: openAiSchemas },
    ],
  },
  xai: {
    takes: ['reasoning_content'],
    rules: [
      { from: 'https://docs.x.ai/docs/api-reference#chat-completions', refuses: rules.noBlankMessage },
      { from: 'https://docs.x.ai/docs/guides/function-calling', refuses: xaiSchemas },
    ],
  },
  qwen: {
    takes: ['reasoning_content', 'cache_control'],
    rules: [
      { from: 'https://github.com/sigoden/aichat/pull/993', refuses: rules.resultsAreCounted },
      { from: 'https://help.aliyun.com/zh/model-studio/error-code', refuses: rules.argumentsAreObjects },
      { from: 'https://help.aliyun.com/zh/model-studio/error-code', refuses: rules.noBlankMessage },
      { from: 'https://help.aliyun.com/zh/model-studio/use-qwen-by-calling-api', refuses: rules.noDeveloper },
    ],
  },
  openrouter: {
    takes: ['reasoning_details', 'cache_control', 'extra_content'],
    rules: [{ from: 'https://openrouter.ai/docs/guides/features/tool-calling', refuses: openAiSchemas }],
  },
  ollama: {
    takes: [],
    rules: [
      { from: 'https://github.com/ollama/ollama/blob/main/openai/openai.go', refuses: rules.argumentsAreObjects },
      { from: 'https://github.com/ollama/ollama/blob/main/openai/openai.go', refuses: rules.imagesAreData },
    ],
  },
  zai: {
    takes: ['reasoning_content'],
    rules: [{ from: 'https://docs.z.ai/api-reference/llm/chat-completion', refuses: rules.noDeveloper }],
  },
  opencode: { takes: ['reasoning_content', 'cache_control'], rules: [] },
  lmstudio: { takes: [], rules: [] },
  vllm: {
    takes: [],
    rules: [
      {
        from: 'https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/chat_utils.py',
        refuses: rules.argumentsAreObjects,
      },
    ],
  },
};

/** In which a test says whose dialect the server speaks. */
export const DIALECT_HEADER = 'x-test-dialect';

/** Why this server refuses a body that the API in general takes. */
export function refusedByDialect(
  name: string,
  body: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  const dialect = name === 'any' ? ANY : Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect === undefined) return `unknown dialect ${name}`;
  const parsed = ChatBody.safeParse(body);
  if (!parsed.success) return `the body does not fit: ${parsed.error.message}`;
  for (const { refuses, from } of dialect.rules) {
    const why = refuses({ body: parsed.data, headers });
    if (why !== undefined) return `${why} [${name}, ${from}]`;
  }
  return undefined;
}

/** Which server or model has which ways. Each rule names where it was seen, where that is not plain. */

import type { Quirks } from './quirks.ts';
import { all, anyOf, exactHost, host, model, not, provider, type Where } from './where.ts';

export interface QuirkRule {
  readonly where: Where;
  readonly quirks: Quirks;
}

const OPENAI = host('api.openai.com');
const AZURE = anyOf(host('openai.azure.com', 'services.ai.azure.com'), provider('azure', 'azure-foundry'));
const AZURE_FOUNDRY = anyOf(host('services.ai.azure.com'), provider('azure-foundry'));
const OPENROUTER = anyOf(host('openrouter.ai', 'inference-api.nousresearch.com'), provider('openrouter', 'nous'));
const COPILOT = anyOf(host('githubcopilot.com'), provider('copilot', 'github-copilot'));
const CODEX_BACKEND = host('chatgpt.com');
const XAI = anyOf(host('api.x.ai'), provider('xai'));
const OPENCODE = anyOf(host('opencode.ai'), provider('opencode', 'opencode-zen', 'opencode-go'));
const GEMINI_HOST = host('generativelanguage.googleapis.com', 'aiplatform.googleapis.com');
/** By host on purpose: the account's own name for it does not matter. */
const KIMI = anyOf(
  provider('kimi-coding', 'kimi-coding-cn', 'kimi'),
  host('api.kimi.com', 'moonshot.ai', 'moonshot.cn'),
);
const DEEPSEEK = anyOf(provider('deepseek'), model(/deepseek/), host('api.deepseek.com'));
/** By its models too: routers and Azure hand its refusals on, and the templates of its open models refuse the same. */
const MISTRAL = anyOf(
  provider('mistral'),
  host('mistral.ai'),
  model(/(^|-)(mistral|ministral|mixtral|codestral|devstral|magistral|pixtral)/),
);
const MIMO = anyOf(provider('xiaomi'), model(/mimo/), host('xiaomimimo.com'));
const THIRD_PARTY_MESSAGES = anyOf(
  host('minimax.io', 'minimaxi.com', 'minimax.cn', 'z.ai', 'bigmodel.cn', 'aliyuncs.com', 'opencode.ai'),
  provider('minimax', 'minimax-cn', 'zai', 'qwen', 'alibaba'),
);

const REASONS_AT_OPENAI = model(/^(gpt-([5-9]|oss)|o[1-9]|codex)/);
const CLAUDE = model(/^claude/);
const CLAUDE_BY_BUDGET = model(/^claude-(3|haiku-4|(opus|sonnet)-4(?!-[6-9](\D|$)))/);

/** https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5, and the same page of Sonnet 5.5. */
const CLAUDE_ALWAYS_THINKS = model(/^claude-((fable|mythos)-5-[1-9]|opus-5-5)(\D|$)/);
const CLAUDE_THINKS_BETWEEN = model(/^claude-(sonnet|haiku)-5-5(\D|$)/);

export const QUIRK_RULES: readonly QuirkRule[] = [
  { where: anyOf(OPENAI, AZURE), quirks: { outputField: 'max_completion_tokens', longestCallId: 64 } },
  { where: model(/gemini|gemma/), quirks: { callExtras: true } },
  { where: MISTRAL, quirks: { shortCallIds: true, answersResults: true } },
  // It counts tokens in its last chunk without being asked, and knows no field to ask for it.
  { where: anyOf(provider('mistral'), host('mistral.ai')), quirks: { noStreamOptions: true } },
  // A regional subdomain keeps its own caches and refuses the field.
  { where: exactHost('api.openai.com'), quirks: { cacheKey: true } },
  { where: model(/^(gpt-[5-9]|codex)/), quirks: { systemRole: 'developer' } },

  { where: all(anyOf(OPENAI, AZURE, COPILOT), REASONS_AT_OPENAI), quirks: { effortAs: 'reasoning_effort' } },
  { where: all(anyOf(OPENAI, AZURE), not(REASONS_AT_OPENAI)), quirks: { noReasoning: true } },
  { where: OPENROUTER, quirks: { effortAs: 'reasoning_object' } },
  {
    where: anyOf(XAI, host('tokenhub.tencentmaas.com'), provider('lmstudio', 'ollama', 'tokenhub')),
    quirks: { effortAs: 'reasoning_effort' },
  },
  { where: all(host('api.groq.com'), model(/^(gpt-oss|qwen3)/)), quirks: { effortAs: 'reasoning_effort' } },
  {
    where: all(anyOf(host('z.ai', 'bigmodel.cn'), provider('zai')), model(/^glm-(4-[5-9]|[5-9])/)),
    quirks: { effortAs: 'thinking_toggle' },
  },
  {
    where: anyOf(host('moonshot.ai', 'moonshot.cn', 'api.deepseek.com'), provider('deepseek')),
    quirks: { effortAs: 'thinking_toggle' },
  },
  { where: host('api.kimi.com'), quirks: { effortAs: 'reasoning_effort' } },
  { where: GEMINI_HOST, quirks: { effortAs: 'google_thinking', noStreamOptions: true } },

  { where: anyOf(KIMI, DEEPSEEK, MIMO), quirks: { echoReasoning: true } },
  // Routers hand its refusals on: https://github.com/vercel/ai/pull/18921
  { where: anyOf(KIMI, model(/^kimi/)), quirks: { bareUnions: true } },
  { where: COPILOT, quirks: { longestCallId: 64, visionHeader: 'Copilot-Vision-Request' } },

  { where: CLAUDE, quirks: { thinkingAs: 'adaptive' } },
  { where: CLAUDE_BY_BUDGET, quirks: { thinkingAs: 'budget' } },
  { where: CLAUDE_ALWAYS_THINKS, quirks: { leastThinking: 'low_effort' } },
  { where: CLAUDE_THINKS_BETWEEN, quirks: { leastThinking: 'between_tools' } },
  // Others do not know the field, or bring it by themselves.
  {
    where: all(exactHost('api.anthropic.com'), anyOf(CLAUDE_ALWAYS_THINKS, CLAUDE_THINKS_BETWEEN)),
    quirks: { boundThinking: true },
  },
  // Claude's goes back as it came where it was signed, also that of older turns: the API leaves out by itself what it
  // does not need, and the prefix stays.
  { where: THIRD_PARTY_MESSAGES, quirks: { thinking: 'none' } },
  { where: anyOf(provider('deepseek'), host('api.deepseek.com')), quirks: { thinking: 'unsigned' } },
  { where: KIMI, quirks: { thinking: 'all' } },

  {
    where: COPILOT,
    quirks: { issuer: 'github', noMessageIds: true, noInclude: true, continuesReasoning: true },
  },
  {
    where: CODEX_BACKEND,
    quirks: {
      issuer: 'codex',
      continuesReasoning: true,
      noOutputLimit: true,
      sessionHeaders: { session_id: 'session', 'x-client-request-id': 'cache_key' },
      controlTokens: true,
    },
  },
  { where: AZURE, quirks: { newestReasoningOnly: true } },
  { where: AZURE_FOUNDRY, quirks: { reasoningNotAfterTools: true } },
  // Older models fail on it without a word of why.
  {
    where: all(anyOf(exactHost('api.openai.com'), CODEX_BACKEND), model(/gpt-5-6/)),
    quirks: { nativeCompaction: true },
  },
  {
    where: XAI,
    quirks: {
      issuer: 'xai',
      continuesReasoning: true,
      answersInReasoning: true,
      sessionHeaders: { 'x-grok-conv-id': 'session' },
      ownWebSearch: true,
      reservedTools: ['tool_search'],
      refusedSchemaKeywords: ['pattern', 'format'],
      noSlashInEnums: true,
    },
  },
  { where: OPENCODE, quirks: { reservedTools: ['web_search', 'search_files'] } },

  { where: model(/^gemini-2-5/), quirks: { geminiThinking: 'budget' } },
  { where: model(/^gemini-([3-9]|\d\d)/), quirks: { callIds: true, geminiThinking: 'level' } },
];

/** The providers that work by name alone, as one table. */

import type { Api } from './detect.ts';

export interface Preset {
  readonly label: string;
  /** Absent: what its address, or else chat completions, says. */
  readonly api?: Api;
  /** Absent where everybody has an address of their own, or none is needed. */
  readonly baseUrl?: string;
  /** Hosts under which everybody has an address of their own. */
  readonly hosts?: readonly string[];
  /** Environment variables that may hold its key, in the order in which they are asked. */
  readonly keyVariables?: readonly string[];
  /** Where people get a key. */
  readonly keysAt?: string;
  /** It answers nothing without one. */
  readonly needsKey?: true;
  /** What to write for an address that everybody has their own of. */
  readonly addressLike?: string;
  /** The models to offer before its own list is there; the first is taken when nothing was chosen. */
  readonly models: readonly string[];
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  vscode: { label: 'VS Code', api: 'vscode', models: [] },
  anthropic: {
    label: 'Anthropic',
    api: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyVariables: ['ANTHROPIC_API_KEY'],
    keysAt: 'https://platform.claude.com/settings/keys',
    needsKey: true,
    models: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5'],
  },
  openai: {
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    keysAt: 'https://platform.openai.com/api-keys',
    needsKey: true,
    models: ['gpt-6.2-sol', 'gpt-6.2-astra', 'gpt-6-luna'],
  },
  gemini: {
    label: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    keysAt: 'https://aistudio.google.com/apikey',
    needsKey: true,
    models: ['gemini-3.8-flash', 'gemini-3.1-pro-preview'],
  },
  openrouter: {
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    keysAt: 'https://openrouter.ai/keys',
    needsKey: true,
    models: ['anthropic/claude-sonnet-5.5', 'openai/gpt-6.2-sol'],
  },
  bedrock: {
    label: 'Amazon Bedrock',
    api: 'bedrock',
    keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
    keysAt: 'https://console.aws.amazon.com/bedrock',
    models: ['us.anthropic.claude-sonnet-5-5', 'us.anthropic.claude-opus-5-5'],
  },
  azure: {
    label: 'Azure OpenAI and Foundry',
    api: 'openai-chat',
    addressLike: 'https://NAME.openai.azure.com/openai/v1',
    hosts: ['openai.azure.com', 'services.ai.azure.com'],
    keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    keysAt: 'https://ai.azure.com',
    needsKey: true,
    models: [],
  },
  deepseek: {
    label: 'DeepSeek',
    api: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariables: ['DEEPSEEK_API_KEY'],
    keysAt: 'https://platform.deepseek.com/api_keys',
    needsKey: true,
    models: ['deepseek-flash', 'deepseek-v4-pro'],
  },
  moonshot: {
    label: 'Moonshot (Kimi)',
    api: 'openai-chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariables: ['MOONSHOT_API_KEY'],
    keysAt: 'https://platform.kimi.ai/console/api-keys',
    needsKey: true,
    models: ['kimi-k3', 'kimi-k3.1-pro'],
  },
  kimi: {
    label: 'Kimi Code',
    baseUrl: 'https://api.kimi.com/coding',
    keyVariables: ['KIMI_API_KEY'],
    keysAt: 'https://www.kimi.com/code',
    needsKey: true,
    models: ['kimi-for-coding'],
  },
  mistral: {
    label: 'Mistral',
    api: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariables: ['MISTRAL_API_KEY'],
    keysAt: 'https://console.mistral.ai/api-keys',
    needsKey: true,
    models: ['mistral-medium-3.5', 'devstral-latest'],
  },
  groq: {
    label: 'Groq',
    api: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    keysAt: 'https://console.groq.com/keys',
    needsKey: true,
    models: ['openai/gpt-oss-120b'],
  },
  xai: {
    label: 'xAI',
    api: 'openai-responses',
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    keysAt: 'https://console.x.ai',
    needsKey: true,
    models: ['grok-4.7'],
  },
  qwen: {
    label: 'Qwen (Alibaba Model Studio)',
    api: 'openai-chat',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariables: ['DASHSCOPE_API_KEY'],
    keysAt: 'https://modelstudio.console.alibabacloud.com',
    needsKey: true,
    models: ['qwen3-coder-plus', 'qwen3-max'],
  },
  minimax: {
    label: 'MiniMax',
    baseUrl: 'https://api.minimax.io/anthropic',
    keyVariables: ['MINIMAX_API_KEY'],
    keysAt: 'https://platform.minimax.io',
    needsKey: true,
    models: ['MiniMax-M3', 'MiniMax-M2.7'],
  },
  zai: {
    label: 'Z.AI',
    api: 'openai-chat',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariables: ['ZAI_API_KEY', 'Z_AI_API_KEY'],
    keysAt: 'https://z.ai/manage-apikey/apikey-list',
    needsKey: true,
    models: ['glm-5.3', 'glm-5.2'],
  },
  opencode: {
    label: 'OpenCode Zen',
    api: 'openai-chat',
    baseUrl: 'https://opencode.ai/zen/v1',
    keyVariables: ['OPENCODE_API_KEY'],
    keysAt: 'https://opencode.ai/auth',
    needsKey: true,
    models: [],
  },
  copilot: {
    label: 'Copilot-compatible endpoint',
    baseUrl: 'https://api.githubcopilot.com',
    keyVariables: ['COPILOT_API_KEY'],
    needsKey: true,
    models: [],
  },
  ollama: { label: 'Ollama', api: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1', models: [] },
  lmstudio: { label: 'LM Studio', api: 'openai-chat', baseUrl: 'http://127.0.0.1:1234/v1', models: [] },
  vllm: { label: 'vLLM', api: 'openai-chat', baseUrl: 'http://127.0.0.1:8000/v1', models: [] },
  codex: { label: 'Codex', api: 'codex-app-server', models: ['default'] },
  practice: { label: 'Practice', api: 'practice', models: ['rehearsal'] },
};

/** Where keys in the environment are looked for when nothing was chosen, in this order. */
export const FIRST_BY_KEY = ['anthropic', 'openai', 'gemini', 'openrouter'] as const;

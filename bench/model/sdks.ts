/** What our wires are compared with: each vendor's own SDK, iterating the same stream and doing nothing with it. */

import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';

/** Asks once. @returns milliseconds until the first event */
export type AskSdk = () => Promise<number>;

const PROMPT = 'Hello';
const MODEL = 'test-model';

/** By the name of the wire. @param origin of the model server */
export function sdksFor(origin: string): Readonly<Record<string, { readonly sdk: string; readonly ask: AskSdk }>> {
  const openAi = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'bench', maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: origin, apiKey: 'bench', maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey: 'bench', httpOptions: { baseUrl: origin } });
  const bedrock = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: origin,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
    maxAttempts: 1,
    // HTTP/2 by default, which a server without TLS does not speak.
    requestHandler: new NodeHttpHandler(),
  });
  const messages = [{ role: 'user' as const, content: PROMPT }];
  return {
    'openai-chat': {
      sdk: 'openai',
      ask: () =>
        iterate(() =>
          openAi.chat.completions.create({
            model: MODEL,
            messages,
            stream: true,
            stream_options: { include_usage: true },
          }),
        ),
    },
    'openai-responses': {
      sdk: 'openai',
      ask: () => iterate(() => openAi.responses.create({ model: MODEL, input: PROMPT, store: false, stream: true })),
    },
    anthropic: {
      sdk: '@anthropic-ai/sdk',
      ask: () => iterate(() => anthropic.messages.create({ model: MODEL, max_tokens: 1024, messages, stream: true })),
    },
    gemini: {
      sdk: '@google/genai',
      ask: () => iterate(() => google.models.generateContentStream({ model: MODEL, contents: PROMPT })),
    },
    bedrock: {
      sdk: '@aws-sdk/client-bedrock-runtime',
      ask: () =>
        iterate(async () => {
          const content = [{ text: PROMPT }];
          const command = new ConverseStreamCommand({ modelId: MODEL, messages: [{ role: 'user', content }] });
          const { stream } = await bedrock.send(command);
          if (stream === undefined) throw new Error('Bedrock answered without a stream.');
          return stream;
        }),
    },
  };
}

async function iterate(ask: () => PromiseLike<AsyncIterable<unknown>>): Promise<number> {
  const started = performance.now();
  let first: number | undefined;
  for await (const _event of await ask()) first ??= performance.now() - started;
  if (first === undefined) throw new Error('The stream had no events.');
  return first;
}

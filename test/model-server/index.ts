/** The fake model server: `ModelServer` in this process, `ModelServerClient` for one in another. */

export { ModelServerClient } from './client.ts';
export type { Command, RequestView } from './control.ts';
export { type Closing, now, RecordedRequest, type RequestWire } from './request.ts';
export type { Answer, Finish, ScriptCall, ScriptUsage, Step } from './script.ts';
export { ModelServer, type Script, type ServerSettings } from './server.ts';
export { validateAnthropic } from './validate-anthropic.ts';
export { isSigned, validateBedrock } from './validate-bedrock.ts';
export { validateGemini } from './validate-gemini.ts';
export { validateOpenAi } from './validate-openai.ts';
export { validateResponses } from './validate-responses.ts';

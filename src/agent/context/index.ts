/** The door to what the model is told beside the conversation. */

export { type PromptFacts, systemPrompt } from './prompt.ts';

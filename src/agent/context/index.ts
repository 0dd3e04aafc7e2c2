/** The door to what the model is told beside the conversation, and to how much of the conversation it is told. */

export { planCompaction } from './compaction-plan.ts';
export { framedSummary, SUMMARY_INSTRUCTION, summaryRequest } from './compaction-text.ts';
export { charactersWithin, type Entry, imageTokens, messageTokens, textTokens, totalTokens } from './estimate.ts';
export { type PromptFacts, systemPrompt } from './prompt.ts';
export { transcriptText } from './transcript-text.ts';

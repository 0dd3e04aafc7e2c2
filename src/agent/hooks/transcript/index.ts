export { TranscriptFiles, type TranscriptParts } from './files.ts';

export { type AllowedRules, choicesFor, decide, describeNeed } from './approvals.ts';
export { inspectCommand, type Verdict } from './command-rules.ts';
export { isInside, pathProblem, type ResolvedPath, resolveInside } from './paths.ts';
export { maskSecrets } from './redaction.ts';
export { ruleForCommand } from './rule-key.ts';
export { identity, placesAbove, secretFile, secretsWithSeveralNames } from './secret-file.ts';
export { protectedKind, secretKind } from './sensitive.ts';
export { parseShell } from './shell-words.ts';

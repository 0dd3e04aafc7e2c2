/**
 * Patterns that come from outside: files, models, servers, plugins, settings. A new place that takes one uses
 * `patternOf` or `globOf` from here; a lint rule refuses `new RegExp` of what is no constant, and glob libraries.
 */

export { anyFits, eachFits, type Fit, mayFit, notFits, type Soon, soon, surelyFits, type Unsure } from './fit.ts';
export { type GitIgnore, gitIgnore } from './git-ignore.ts';
export { type Glob, globOf, wildcardSource } from './glob.ts';
export { patternLimits } from './limits.ts';
export { Pattern, patternOf } from './pattern.ts';

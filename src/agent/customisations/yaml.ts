/**
 * Loaded with the first frontmatter. A module of its own: a bundled CommonJS package that is imported dynamically has no
 * named exports.
 */
export { parse } from 'yaml';

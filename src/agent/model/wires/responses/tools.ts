/** Tools in the words of the Responses API, and the names under which they travel. */

import type { FunctionTool, WebSearchTool } from 'openai/resources/responses/responses';
import type { Quirks } from '../../catalogue/index.ts';
import type { ToolSpec } from '../../types.ts';
import { toolName, uniqueTools } from '../wire-text.ts';
import { neutralised, neutralisedDeep } from './harmony.ts';

const PREFIX = 'midcourse_';

/** The name of a tool on the wire. The provider keeps some for tools of its own. */
export function wireName(name: string, ways: Quirks): string {
  const plain = toolName(name);
  return ways.reservedTools?.includes(plain) ? toolName(PREFIX + plain) : plain;
}

/** The tool that the model means. Only a name that was really changed is changed back. */
export function namesBack(tools: readonly ToolSpec[], ways: Quirks): (name: string) => string {
  const renamed = new Map<string, string>();
  for (const { name } of tools) if (wireName(name, ways) !== toolName(name)) renamed.set(wireName(name, ways), name);
  return (name) => renamed.get(name) ?? name;
}

export function responsesTools(tools: readonly ToolSpec[], ways: Quirks): (FunctionTool | WebSearchTool)[] {
  const clean = ways.controlTokens ? neutralisedDeep : (value: unknown) => value;
  return uniqueTools(tools).map(({ name, description, inputSchema }) => {
    if (name === 'web_search' && ways.ownWebSearch) return { type: 'web_search' };
    return {
      type: 'function',
      name: wireName(name, ways),
      description: ways.controlTokens ? neutralised(description) : description,
      strict: false,
      parameters: clean(acceptable({ ...inputSchema }, ways)) as Record<string, unknown>,
    };
  });
}

/** A copy of the schema without what the server refuses. */
export function acceptable(schema: Record<string, unknown>, ways: Quirks): Record<string, unknown> {
  const { refusedSchemaKeywords = [], noSlashInEnums = false } = ways;
  if (refusedSchemaKeywords.length === 0 && !noSlashInEnums) return schema;
  return inSchema(schema, { refused: new Set(refusedSchemaKeywords), noSlashInEnums });
}

interface Refused {
  readonly refused: ReadonlySet<string>;
  readonly noSlashInEnums: boolean;
}

/** Under these a schema has names of its own choice, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function inSchema(schema: Record<string, unknown>, rules: Refused): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (rules.refused.has(keyword)) return [];
      if (keyword === 'enum' && Array.isArray(value)) {
        const kept = rules.noSlashInEnums ? value.filter((one) => !String(one).includes('/')) : value;
        return kept.length === 0 ? [] : [[keyword, kept]];
      }
      if (NAMED.has(keyword) && isObject(value)) return [[keyword, eachSchema(value, rules)]];
      return [[keyword, inside(value, rules)]];
    }),
  );
}

function eachSchema(schemas: Record<string, unknown>, rules: Refused): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inside(schema, rules)]));
}

function inside(value: unknown, rules: Refused): unknown {
  if (Array.isArray(value)) return value.map((one) => inside(one, rules));
  return isObject(value) ? inSchema(value, rules) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

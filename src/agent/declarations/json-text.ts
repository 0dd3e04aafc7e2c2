/** The text of files that people write to declare something: hooks, MCP servers, language servers. */

import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import * as z from 'zod';

type Path = readonly (string | number)[];

export interface JsonText {
  readonly value: unknown;
  /** 0-based offset of what is at that place; undefined when nothing is. */
  offset(path: Path): number | undefined;
  /** 1-based line of what is at that place, of its name where it has one; undefined when nothing is. */
  line(path: Path): number | undefined;
}

/** Reads JSON in which comments and commas at the end of a list are forgiven. A string says what is wrong. */
export function readJsonText(text: string): JsonText | string {
  try {
    return readNested(text);
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return 'It is nested too deeply.';
    throw error;
  }
}

function readNested(text: string): JsonText | string {
  const errors: ParseError[] = [];
  const tree = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first) {
    return `It is not valid JSON: ${printParseErrorCode(first.error)} in line ${lineAt(text, first.offset)}.`;
  }
  if (!tree) return 'It is empty.';
  const at = (path: Path) => findNodeAtLocation(tree, [...path]);
  let starts: readonly number[] | undefined;
  return {
    value: plainValue(tree),
    offset: (path) => at(path)?.offset,
    line(path) {
      const node = at(path);
      const named = node?.parent?.type === 'property' ? node.parent : node;
      if (!named) return undefined;
      // Found once for all that ask: there may be thousands.
      starts ??= lineStarts(text);
      return lineIn(starts, named.offset);
    },
  };
}

/** 1-based line of a 0-based offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Offsets at which the lines of a text begin. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** 1-based. */
function lineIn(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** `getNodeValue` of the library sets `__proto__` as a key like any other. */
function plainValue(node: Node): unknown {
  switch (node.type) {
    case 'array':
      return (node.children ?? []).map(plainValue);
    case 'object':
      return Object.fromEntries(
        (node.children ?? []).map(({ children: [key, value] = [] }) => [
          String(key?.value),
          value && plainValue(value),
        ]),
      );
    default:
      return node.value;
  }
}

export const anyObject = z.record(z.string(), z.unknown());

/** The fields that are wrong, with what is wrong about them, in one line. */
export function issuesOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ');
}

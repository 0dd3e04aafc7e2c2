import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import * as z from 'zod';

export interface JsonText {
  readonly value: unknown;
  /** 0-based offset of what is at that place; undefined when nothing is. */
  offset(path: readonly (string | number)[]): number | undefined;
}

/** Reads a file that people write: comments and commas at the end of a list are forgiven. A string says what is wrong. */
export function readJsonText(text: string): JsonText | string {
  const errors: ParseError[] = [];
  const tree = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    return `It is not valid JSON: ${printParseErrorCode(first.error)} in line ${line}.`;
  }
  if (!tree) return 'It is empty.';
  return { value: plainValue(tree), offset: (path) => findNodeAtLocation(tree, [...path])?.offset };
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

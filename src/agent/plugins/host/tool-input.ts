/** The input of a plugin's tool: a JSON schema as it is, or a zod schema of whatever copy of zod the plugin brought. */

export interface ToolInput {
  readonly schema: Record<string, unknown>;
  /** Rejects with words for the model when the input does not fit. */
  parse(value: unknown): Promise<unknown>;
}

interface ZodLike {
  safeParseAsync(value: unknown): Promise<{ success: true; data: unknown } | { success: false; error: Error }>;
  toJSONSchema?(options: object): Record<string, unknown>;
}

/** @throws TypeError when it is neither */
export function toolInput(input: unknown, tool: string): ToolInput {
  if (typeof input !== 'object' || input === null) throw new TypeError(`The tool ${tool} has no input schema.`);
  if (!('_zod' in input)) return { schema: { ...input }, parse: async (value) => value };
  const zod = input as unknown as ZodLike;
  if (typeof zod.toJSONSchema !== 'function') {
    throw new TypeError(
      `The input of the tool ${tool} is a zod schema without toJSONSchema: use zod 4.2 or later, or a JSON schema.`,
    );
  }
  const { $schema: _, ...schema } = zod.toJSONSchema({ io: 'input' });
  return {
    schema,
    async parse(value) {
      const parsed = await zod.safeParseAsync(value);
      if (!parsed.success) throw new TypeError(`The input does not fit: ${parsed.error.message}`);
      return parsed.data;
    },
  };
}

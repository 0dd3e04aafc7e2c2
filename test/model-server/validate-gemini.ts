/** What the Gemini API refuses with 400, as far as a client's history and tools can cause it. */

import * as z from 'zod';
import { firstIssue } from './first-issue.ts';

const FunctionName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, 'Invalid function name');
const Signature = z.string().min(1).optional();

const Text = z.strictObject({ text: z.string(), thoughtSignature: Signature });

const InlineData = z.strictObject({
  inlineData: z.strictObject({
    mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']),
    data: z.string().min(1),
  }),
});

const FunctionCall = z.strictObject({
  functionCall: z.strictObject({
    id: z.string().min(1).optional(),
    name: FunctionName,
    args: z.record(z.string(), z.unknown()).optional(),
  }),
  thoughtSignature: Signature,
});

const FunctionResponse = z.strictObject({
  functionResponse: z.strictObject({
    id: z.string().min(1).optional(),
    name: FunctionName,
    response: z.record(z.string(), z.unknown()),
  }),
});

const Content = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    parts: z.array(z.union([Text, InlineData, FunctionResponse])).min(1, 'contents.parts must not be empty'),
  }),
  z.strictObject({
    role: z.literal('model'),
    parts: z.array(z.union([Text, FunctionCall])).min(1, 'contents.parts must not be empty'),
  }),
]);

const Count = z.number().int().nonnegative().optional();

/** A subset of OpenAPI's; the parser refuses a request for any other name. */
const Schema = z.strictObject({
  type: z.enum(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT']).optional(),
  format: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  nullable: z.boolean().optional(),
  enum: z.array(z.string().min(1, 'enum: cannot be empty')).optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: Count,
  maxItems: Count,
  minLength: Count,
  maxLength: Count,
  minProperties: Count,
  maxProperties: Count,
  required: z.array(z.string()).optional(),
  get items() {
    return Schema.optional();
  },
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get anyOf() {
    return z.array(Schema).min(1).optional();
  },
});

type Schema = z.infer<typeof Schema>;

const Declaration = z.strictObject({
  name: FunctionName,
  description: z.string().optional(),
  parameters: Schema.optional(),
});

const ThinkingConfig = z
  .strictObject({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: z.number().int().min(-1).max(32_768).optional(),
    thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH']).optional(),
  })
  .refine((config) => config.thinkingBudget === undefined || config.thinkingLevel === undefined, {
    message: 'You can only set only one of thinking budget and thinking level.',
  });

const Body = z.strictObject({
  contents: z.array(Content).min(1, 'contents is not specified'),
  systemInstruction: z.strictObject({ parts: z.array(Text).min(1) }).optional(),
  tools: z.array(z.strictObject({ functionDeclarations: z.array(Declaration).min(1) })).optional(),
  toolConfig: z
    .strictObject({ functionCallingConfig: z.strictObject({ mode: z.enum(['AUTO', 'ANY', 'NONE']) }) })
    .optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.number().int().positive().max(65_536).optional(),
      temperature: z.number().optional(),
      thinkingConfig: ThinkingConfig.optional(),
    })
    .optional(),
});

/**
 * The first thing the API would refuse, or undefined when it would answer.
 *
 * @param version of the model's family: from 3 on calls have ids and need a signature, before they have neither
 */
export function validateGemini(body: unknown, version: number): string | undefined {
  const parsed = Body.safeParse(body);
  if (!parsed.success) return firstIssue(parsed.error);
  const { contents, tools = [], generationConfig } = parsed.data;
  const declarations = tools.flatMap((tool) => tool.functionDeclarations);
  const names = declarations.map(({ name }) => name);
  if (new Set(names).size < names.length) return 'Duplicate function declaration found';
  if (version < 3 && generationConfig?.thinkingConfig?.thinkingLevel !== undefined) {
    return 'Thinking level is not supported for this model.';
  }
  for (const { name, parameters } of declarations) {
    const wrong = parameters && checkSchema(parameters, `${name}.parameters`);
    if (wrong) return wrong;
  }
  return checkTurns(contents) ?? checkCalls(contents, version);
}

function checkSchema(schema: Schema, path: string): string | undefined {
  if (schema.type === 'ARRAY' && schema.items === undefined) return `${path}.items: missing field.`;
  if (schema.enum !== undefined && schema.type !== 'STRING') return `${path}.enum: only allowed for STRING type`;
  const { properties = {}, required = [], anyOf = [], items } = schema;
  const unknown = required.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) return `${path}.required: property is not defined: ${unknown}`;
  const inner: [string, Schema][] = [
    ...Object.entries(properties),
    ...anyOf.map((each, index): [string, Schema] => [`anyOf.${index}`, each]),
    ...(items === undefined ? [] : [['items', items] as [string, Schema]]),
  ];
  return inner.map(([name, each]) => checkSchema(each, `${path}.${name}`)).find((wrong) => wrong !== undefined);
}

type Content = z.infer<typeof Content>;

function checkTurns(contents: readonly Content[]): string | undefined {
  if (contents[0]?.role !== 'user' || contents.at(-1)?.role !== 'user') {
    return 'Please ensure that multiturn requests begin and end with a user role.';
  }
  const repeated = contents.findIndex((content, index) => content.role === contents[index - 1]?.role);
  return repeated < 0
    ? undefined
    : `contents.${repeated}: Please ensure that multiturn requests alternate between user and model.`;
}

function checkCalls(contents: readonly Content[], version: number): string | undefined {
  if (partsAfter(contents, -1).length > 0) return 'contents.0: function responses without a function call turn';
  for (const [index, content] of contents.entries()) {
    const calls = content.parts.flatMap((part) => ('functionCall' in part ? [part] : []));
    const responses = partsAfter(contents, index);
    for (const { functionCall, thoughtSignature } of calls) {
      if ((functionCall.id !== undefined) !== version >= 3) {
        return `contents.${index}: Unknown name "id" at function_call, or none where one is needed`;
      }
      if (version >= 3 && thoughtSignature === undefined) {
        return `Function call is missing a thought_signature in functionCall parts: ${functionCall.name}`;
      }
    }
    const asked = calls.map(({ functionCall: { id = '', name } }) => `${id} ${name}`);
    const answered = responses.map(({ id = '', name }) => `${id} ${name}`);
    if (asked.join() !== answered.join()) {
      return `contents.${index}: the number of function response parts must equal the number of function call parts of the function call turn, with the same names.`;
    }
    const texts = content.parts.some((part) => 'text' in part || 'inlineData' in part);
    if (texts && content.parts.some((part) => 'functionResponse' in part)) {
      return `contents.${index}: text beside function responses (the API answers with nothing)`;
    }
  }
  return undefined;
}

function partsAfter(contents: readonly Content[], index: number): { id?: string | undefined; name: string }[] {
  const next = contents[index + 1];
  return (next?.parts ?? []).flatMap((part) => ('functionResponse' in part ? [part.functionResponse] : []));
}

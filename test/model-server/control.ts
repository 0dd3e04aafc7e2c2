/**
 * `/_control`: how a test in another process drives the server. `client.ts` speaks it.
 * GET lists the requests; POST takes one command as JSON.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { RecordedRequest } from './request.ts';
import { Answer } from './script.ts';
import type { ModelServer } from './server.ts';

const Command = z.discriminatedUnion('do', [
  /** Appends answers, each for one request. */
  z.strictObject({ do: z.literal('script'), answers: z.array(Answer) }),
  /** The answer when no script waits. */
  z.strictObject({ do: z.literal('fallback'), answer: Answer }),
  /** Releases a pause of that request, of the newest one by default. */
  z.strictObject({ do: z.literal('release'), request: z.number().int().optional(), name: z.string().optional() }),
  /** Answers when that request has arrived, stands at a pause, or is over. Waits as long as the caller does. */
  z.strictObject({
    do: z.literal('wait'),
    request: z.number().int(),
    until: z.enum(['arrived', 'paused', 'closed']),
    name: z.string().optional(),
  }),
  /** As `wait`, but only tells when things happened: the content of a long conversation takes its time to read. */
  z.strictObject({ do: z.literal('times'), request: z.number().int(), until: z.enum(['arrived', 'closed']) }),
  z.strictObject({
    do: z.literal('configure'),
    apiKey: z.string().nullish(),
    models: z.array(z.string()).nullish(),
    strict: z.boolean().optional(),
  }),
  z.strictObject({ do: z.literal('cutAnswers') }),
  z.strictObject({ do: z.literal('reset') }),
]);

export type Command = z.input<typeof Command>;

/** A request as JSON. */
export type RequestView = ReturnType<typeof view>;

export async function control(
  server: ModelServer,
  message: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): Promise<void> {
  if (message.method === 'GET') return reply(response, 200, { requests: server.requests.map(view) });
  const command = Command.safeParse(safeJson(bytes));
  if (!command.success) return reply(response, 400, { error: z.prettifyError(command.error) });
  const [status, body] = await obey(server, command.data).then(
    (answer) => [200, answer ?? {}] as const,
    (error: unknown) => [409, { error: String(error) }] as const,
  );
  reply(response, status, body);
}

async function obey(server: ModelServer, command: z.infer<typeof Command>): Promise<object | undefined> {
  switch (command.do) {
    case 'script':
      server.script(...command.answers);
      return { waiting: server.waiting };
    case 'fallback':
      server.fallback = command.answer;
      return undefined;
    case 'release': {
      const request = server.requests.at(command.request ?? -1);
      return { released: request?.release(command.name) ?? false };
    }
    case 'wait': {
      const request = await server.request(command.request);
      if (command.until === 'paused') await request.paused(command.name);
      if (command.until === 'closed') await request.closed;
      return view(request);
    }
    case 'times': {
      const request = await server.request(command.request);
      if (command.until === 'closed') await request.closed;
      return times(request);
    }
    case 'configure':
      if (command.apiKey !== undefined) server.settings.apiKey = command.apiKey ?? undefined;
      if (command.models !== undefined) server.settings.models = command.models ?? undefined;
      if (command.strict !== undefined) server.settings.strict = command.strict;
      return undefined;
    case 'cutAnswers':
      server.cutAnswers();
      return undefined;
    case 'reset':
      server.reset();
      return undefined;
    default:
      return command satisfies never;
  }
}

/** Milliseconds since the epoch, with fractions. */
export type RequestTimes = ReturnType<typeof times>;

function times({ arrivedAt, receivedAt, closing }: RecordedRequest) {
  return { arrivedAt, receivedAt, closedAt: closing?.at };
}

function view(request: RecordedRequest) {
  const { index, wire, path, headers, arrivedAt, body, invalid, firstWriteAt, lastWriteAt, written } = request;
  const { pausedAt, closing } = request;
  // `raw` keeps the bytes, so that a test elsewhere can check that one request is a prefix of the next.
  const raw = request.bytes.toString('utf8');
  return {
    index,
    wire,
    path,
    headers,
    arrivedAt,
    body,
    raw,
    invalid,
    firstWriteAt,
    lastWriteAt,
    written,
    pausedAt,
    closing,
  };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function safeJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

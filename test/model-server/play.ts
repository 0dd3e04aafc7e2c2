/** Plays an answer to the byte. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { AnthropicFrames } from './anthropic-frames.ts';
import type { Frames } from './frames.ts';
import { OpenAiFrames } from './openai-frames.ts';
import { now, type RecordedRequest } from './request.ts';
import { Answer, type StreamAnswer, type WholeAnswer } from './script.ts';

export async function play(request: RecordedRequest, input: Answer, response: ServerResponse): Promise<void> {
  const answer = Answer.parse(input);
  if (answer.holdHead === true) await request.standAt('head');
  if (response.destroyed) return;
  if ('steps' in answer) return playSteps(request, answer, response);
  playWhole(request, answer, response);
}

function playWhole(request: RecordedRequest, answer: WholeAnswer, response: ServerResponse): void {
  const raw = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? null);
  const type = typeof answer.body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  request.firstWriteAt = now();
  request.written = Buffer.byteLength(raw);
  response.end(raw);
}

async function playSteps(request: RecordedRequest, answer: StreamAnswer, response: ServerResponse): Promise<void> {
  const frames = framesFor(request);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...answer.headers });
  response.flushHeaders();
  let opened = false;
  const write = async (...writes: readonly string[]): Promise<void> => {
    const all = opened ? writes : [...frames.open(), ...writes];
    opened = true;
    for (const text of all) await send(request, response, text);
  };

  for (const step of answer.steps) {
    if (response.destroyed) return;
    if ('text' in step) await write(...frames.text(step.text));
    else if ('burst' in step) await burst(step.burst, frames, write);
    else if ('reasoning' in step) await write(...frames.reasoning(step.reasoning));
    else if ('call' in step) await write(...frames.call(step.call));
    else if ('pause' in step) await request.standAt(step.pause === true ? 'pause' : step.pause);
    else if ('delay' in step) await elapse(step.delay, request);
    else if ('usage' in step) frames.usage(step.usage);
    else if ('raw' in step) await send(request, response, step.raw);
    else if ('cut' in step) return cut(request, response);
    else if ('eof' in step) return end(response);
    else if ('error' in step) {
      await write(...frames.error(step.error));
      return end(response);
    } else if ('finish' in step) {
      await write(...frames.close(step.finish));
      return end(response);
    } else step satisfies never;
  }
  await write(...frames.close());
  end(response);
}

async function burst(
  burst: { text?: string | undefined; times: number; perWrite?: number | undefined },
  frames: Frames,
  write: (...writes: readonly string[]) => Promise<void>,
): Promise<void> {
  const { text = 'token ', times, perWrite = 20 } = burst;
  for (let sent = 0; sent < times; sent += perWrite) {
    const count = Math.min(perWrite, times - sent);
    await write(Array.from({ length: count }, () => frames.text(text).join('')).join(''));
  }
}

async function send(request: RecordedRequest, response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed) return;
  request.firstWriteAt ??= now();
  request.lastWriteAt = now();
  request.written += Buffer.byteLength(text);
  if (!response.write(text)) await Promise.race([once(response, 'drain'), request.closed]);
}

function cut(request: RecordedRequest, response: ServerResponse): void {
  request.close('server');
  response.socket?.destroy();
}

function end(response: ServerResponse): void {
  if (!response.destroyed) response.end();
}

async function elapse(ms: number, request: RecordedRequest): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([elapsed, request.closed]);
  clearTimeout(timer);
}

function framesFor(request: RecordedRequest): Frames {
  const body = (request.body ?? {}) as { model?: string; stream_options?: { include_usage?: boolean } };
  const id = `t${request.index}`;
  const model = body.model ?? 'test-model';
  const usage = { input: Math.ceil(request.bytes.length / 4) };
  if (request.wire === 'anthropic') return new AnthropicFrames({ id, model, usage });
  return new OpenAiFrames({ id, model, usage, includeUsage: body.stream_options?.include_usage === true });
}

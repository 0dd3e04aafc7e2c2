/** Plays an answer to the byte. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Frame, type Frames, joined } from './frames.ts';
import { now, type RecordedRequest } from './request.ts';
import { Answer, type StreamAnswer, type WholeAnswer } from './script.ts';
import type { ServedWire } from './wires.ts';

export async function play(
  request: RecordedRequest,
  input: Answer,
  response: ServerResponse,
  served: ServedWire | undefined,
): Promise<void> {
  const answer = Answer.parse(input);
  if (answer.holdHead === true) await request.standAt('head');
  if (response.destroyed) return;
  if ('steps' in answer && served) return playSteps(request, answer, response, served);
  if ('steps' in answer) throw new Error(`${request.path} has no streamed answers.`);
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

async function playSteps(
  request: RecordedRequest,
  answer: StreamAnswer,
  response: ServerResponse,
  served: ServedWire,
): Promise<void> {
  const frames = served.frames(request);
  response.writeHead(200, { 'content-type': served.contentType, 'cache-control': 'no-cache', ...answer.headers });
  response.flushHeaders();
  let opened = false;
  const write = async (...writes: readonly Frame[]): Promise<void> => {
    const all = opened ? writes : [...frames.open(), ...writes];
    opened = true;
    for (const frame of all) await send(request, response, frame);
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
  write: (...writes: readonly Frame[]) => Promise<void>,
): Promise<void> {
  const { text = 'token ', times, perWrite = 20 } = burst;
  for (let sent = 0; sent < times; sent += perWrite) {
    const count = Math.min(perWrite, times - sent);
    await write(joined(Array.from({ length: count }, () => frames.text(text)).flat()));
  }
}

async function send(request: RecordedRequest, response: ServerResponse, frame: Frame): Promise<void> {
  if (response.destroyed) return;
  request.firstWriteAt ??= now();
  request.lastWriteAt = now();
  request.written += Buffer.byteLength(frame);
  if (!response.write(frame)) await Promise.race([once(response, 'drain'), request.closed]);
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

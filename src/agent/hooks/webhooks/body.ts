import { createHmac } from 'node:crypto';
import type { HookEvent, HookPayload } from '../../../hooks-api.ts';
import { maskDeep } from '../../safety/index.ts';

/** What is the same for all attempts of one delivery. */
export interface Delivery {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Milliseconds since the epoch of what is told. */
  readonly at: number;
  readonly event: HookEvent;
  readonly payload: HookPayload;
}

/** The JSON that is sent, secrets masked. What is not named apart is under `extra`. */
export function bodyOf({ id, at, event, payload }: Delivery): Buffer {
  const { session_id, cwd, parent_session_id, ...rest } = payload;
  const { tool_name = null, tool_input = null, ...extra }: Record<string, unknown> = rest;
  const body = {
    hook_event_name: event,
    tool_name,
    tool_input: isObject(tool_input) ? maskDeep(tool_input) : null,
    session_id: session_id || (parent_session_id ?? ''),
    cwd,
    extra: { ...(maskDeep(extra) as object), ...(parent_session_id !== undefined && { parent_session_id }) },
    delivery_id: id,
    timestamp: new Date(at).toISOString(),
  };
  return Buffer.from(JSON.stringify(body));
}

/** `secret` undefined: unsigned. */
export function headersOf({ id, event }: Delivery, body: Buffer, secret: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'Midcourse-Webhooks/1',
    'x-midcourse-event': event,
    'x-midcourse-delivery': id,
    ...(secret && { 'x-midcourse-signature-256': signature(secret, body) }),
  };
}

function signature(secret: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

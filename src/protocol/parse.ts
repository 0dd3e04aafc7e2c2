import * as z from 'zod/mini';
import { type ToHost, toHost } from './to-host.ts';
import { type ToView, toView } from './to-view.ts';

export type Parsed<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly problem: string };

/** For the page. Never throws; `problem` is for the log. */
export function parseToView(raw: unknown): Parsed<ToView> {
  return outcome(toView.safeParse(raw));
}

/** For the host. Never throws; `problem` is for the log. */
export function parseToHost(raw: unknown): Parsed<ToHost> {
  return outcome(toHost.safeParse(raw));
}

function outcome<T>(result: z.core.util.SafeParseResult<T>): Parsed<T> {
  return result.success
    ? { ok: true, message: result.data }
    : { ok: false, problem: z.prettifyError(result.error).slice(0, 2_000) };
}

import * as z from 'zod';
import type { HookEvent } from '../../../hooks-api.ts';
import { nearName } from '../dialects/near-name.ts';
import { hookEvents, isHookEvent } from '../events.ts';
import { hasTool } from '../native-hook.ts';

/** An entry of the setting, ready to use. */
export interface Webhook {
  readonly name: string;
  readonly url: string;
  readonly events: readonly HookEvent[];
  /** For the whole name of a tool, on events that are about one. */
  readonly matcher?: string;
  /** Milliseconds of one attempt. */
  readonly timeout: number;
  /** The environment variable that holds the secret, instead of the secret storage. */
  readonly secretEnv?: string;
}

/** Seconds: the least, what stands in for none, the most. */
const TIMEOUT = { least: 1, unasked: 10, most: 60 };

const Entry = z.strictObject({
  name: z.string().trim().min(1),
  url: z.url({ protocol: /^https?$/, error: 'it has to begin with https:// or http://' }),
  events: z.array(z.string()),
  matcher: z.string().exactOptional(),
  timeout: z.number().exactOptional(),
  secretEnv: z.string().min(1).exactOptional(),
});

export interface ReadWebhooks {
  readonly webhooks: readonly Webhook[];
  /** For people: what was left out or changed, and why. */
  readonly warnings: readonly string[];
}

/** Reads the setting `midcourse.webhooks`. What does not fit is left out with a warning; the others stay. */
export function readWebhooks(value: unknown): ReadWebhooks {
  if (!Array.isArray(value)) {
    const warnings = value === undefined ? [] : ['midcourse.webhooks is no list, so that there are no webhooks.'];
    return { webhooks: [], warnings };
  }
  const warnings: string[] = [];
  const seen = new Set<string>();
  const webhooks = value.flatMap((entry: unknown, index) => {
    const warn = (what: string) => warnings.push(`The webhook ${nameOf(entry, index)}: ${what}`);
    return readEntry(entry, seen, warn);
  });
  return { webhooks, warnings };
}

function readEntry(entry: unknown, seen: Set<string>, warn: (what: string) => void): Webhook[] {
  const parsed = Entry.safeParse(entry);
  if (!parsed.success) {
    warn(`it was left out, because ${issueWords(parsed.error)}.`);
    return [];
  }
  const { name, url, matcher, timeout, secretEnv } = parsed.data;
  const events = readEvents(parsed.data.events, warn).filter((event) => isNew(seen, event, url, warn));
  if (events.length === 0) {
    warn('it was left out, because no event is left that it is told of.');
    return [];
  }
  if (url.startsWith('http:')) warn('its address is http://, so that everyone on the way can read what it is sent.');
  if (matcher?.trim() && !events.every(hasTool)) {
    const without = events.filter((event) => !hasTool(event));
    warn(`its matcher does not count for ${without.join(', ')}, which are about no tool.`);
  }
  const seconds = clamped(timeout, warn);
  return [{ name, url, events, timeout: seconds * 1000, ...(matcher && { matcher }), ...(secretEnv && { secretEnv }) }];
}

function readEvents(names: readonly string[], warn: (what: string) => void): HookEvent[] {
  return [...new Set(names)].flatMap((name) => {
    if (isHookEvent(name)) return [name];
    const near = nearName(name, hookEvents);
    warn(`there is no event ${name}${near ? `; ${near} is probably meant` : ''}.`);
    return [];
  });
}

/** The same event goes to the same address once, however often it is written down. */
function isNew(seen: Set<string>, event: HookEvent, url: string, warn: (what: string) => void): boolean {
  const key = `${event} ${url}`;
  if (seen.has(key)) warn(`${event} goes to ${url} already, so that it is not sent twice.`);
  const isNew = !seen.has(key);
  seen.add(key);
  return isNew;
}

function clamped(timeout: number | undefined, warn: (what: string) => void): number {
  if (timeout === undefined) return TIMEOUT.unasked;
  const used = Math.min(Math.max(timeout, TIMEOUT.least), TIMEOUT.most);
  if (used !== timeout) warn(`its timeout is ${used} s instead of ${timeout} s.`);
  return used;
}

function nameOf(entry: unknown, index: number): string {
  const name: unknown = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : `no. ${index + 1}`;
}

function issueWords({ issues: [issue] }: z.ZodError): string {
  if (!issue) return 'it does not fit';
  if (issue.code === 'unrecognized_keys' && issue.keys.includes('secret')) {
    return 'a secret is not kept in settings (use the command Midcourse: Set Webhook Secret, or secretEnv)';
  }
  return issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ${issue.message}` : issue.message;
}

import { existsSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSettings, LiveSession } from '../../../src/agent/turn/index.ts';
import type { ChildAgent, ChildState } from '../../../src/api.ts';
import type { Answer, RecordedRequest } from '../../model-server/index.ts';
import { event, Rig, type WireName } from '../turn/rig.ts';

/**
 * The rig with a script for each conversation. Agents ask the server side by side, so answers are not given in the order
 * of the requests: a conversation is known by its first user message.
 */
export class AgentsRig {
  readonly rig: Rig;
  readonly #scripts = new Map<string, Answer[]>();
  session: LiveSession;
  #since = 0;

  static async start(wire: WireName, change: Partial<AgentSettings> = {}): Promise<AgentsRig> {
    return new AgentsRig(await Rig.start(wire, change));
  }

  private constructor(rig: Rig) {
    this.rig = rig;
    this.session = rig.agent.create();
    rig.server.fallback = (request) => {
      const script = this.#scripts.get(conversationOf(request))?.shift();
      return script ?? { steps: [{ text: 'Nothing more to say.' }] };
    };
  }

  /** What the model answers in the conversation that begins with these words. */
  script(first: string, ...answers: readonly Answer[]): void {
    this.#scripts.set(first, [...(this.#scripts.get(first) ?? []), ...answers]);
  }

  forgetScripts(): void {
    this.#scripts.clear();
  }

  /** A new session, of which alone the requests are from now on. */
  startOver(): void {
    this.forgetScripts();
    this.#since = this.rig.server.requests.length;
    this.session = this.rig.agent.create();
  }

  /** The requests of that conversation so far. */
  requests(first: string): readonly RecordedRequest[] {
    return this.rig.server.requests.slice(this.#since).filter((request) => conversationOf(request) === first);
  }

  /** The request of that conversation with that index; waits for it. */
  async request(first: string, index: number): Promise<RecordedRequest> {
    for (let seen = this.#since; ; seen++) {
      const request = this.requests(first)[index];
      if (request) return request;
      await this.rig.server.request(seen);
    }
  }

  child(name: string): ChildAgent {
    const child = this.session.childAgents().find((one) => one.name === name);
    if (!child) throw new Error(`there is no agent ${name}`);
    return child;
  }

  /** Resolves when the agent stands so, also if it did before. */
  async childIs(name: string, state: ChildState): Promise<ChildAgent> {
    const current = this.session.childAgents().find((one) => one.name === name);
    if (current?.state === state) return current;
    const { seq } = this.session;
    return (await event(this.session, 'child', (told) => told.name === name && told.state === state, seq)).child;
  }

  /** Resolves when the agent is seen to do that: a line of its activity is these words. */
  async doing(name: string, line: string): Promise<ChildAgent> {
    const current = this.session.childAgents().find((one) => one.name === name);
    if (current?.activity.includes(line)) return current;
    const { seq } = this.session;
    return (
      await event(this.session, 'child', ({ child }) => child.name === name && child.activity.includes(line), seq)
    ).child;
  }

  /** Resolves when a file of that name is in the workspace. */
  async appears(name: string): Promise<void> {
    const path = join(this.rig.folder, name);
    const watching = new AbortController();
    const changes = watch(this.rig.folder, { signal: watching.signal });
    try {
      if (existsSync(path)) return;
      for await (const change of changes) if (change.filename === name) return;
    } finally {
      watching.abort();
    }
  }

  /** The results of tool calls in the transcript, in order. */
  results(): readonly { readonly status: string | undefined; readonly text: string }[] {
    const rows = this.session.rows().filter((row) => row.kind === 'tool_result');
    return rows.map((row) => ({ status: row.status, text: row.displayText ?? '' }));
  }

  notices(): readonly string[] {
    return this.session.rows().flatMap((row) => (row.kind === 'notice' ? [row.displayText ?? ''] : []));
  }

  reopen(): LiveSession {
    this.session = this.rig.reopen(this.session.id);
    return this.session;
  }

  /** Why the server refused requests that no provider would take. */
  async close(): Promise<readonly string[]> {
    const refused = this.rig.server.requests.flatMap((request) => request.invalid ?? []);
    await this.rig.close();
    return refused;
  }
}

/** A call that delegates, as a step of an answer. */
export function delegate(name: string, task: string, more: { background?: boolean; id?: string } = {}) {
  const { id, background } = more;
  const input = { name, task, ...(background === undefined ? {} : { background }) };
  return { call: { name: 'delegate', input, ...(id === undefined ? {} : { id }) } };
}

export function call(name: string, input: unknown) {
  return { call: { name, input } };
}

/** All that a request sends, as one text. */
export function sent(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body);
}

interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

/** The first user message of the conversation that a request is of. */
export function conversationOf(request: RecordedRequest): string {
  const first = (request.body as Body | undefined)?.messages?.find((message) => message.role === 'user');
  return textOf(first?.content);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const [part] = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
  return part?.text ?? '';
}

export const WIRES = ['openai-chat', 'anthropic'] as const satisfies readonly WireName[];

import { createHash, randomUUID } from 'node:crypto';
import type { HookEvent } from '../../../hooks-api.ts';
import { atMost } from '../../turn/at-most.ts';
import type { HookManager } from '../hook-manager.ts';
import { noAnswer } from '../merge.ts';
import { nativeMatches } from '../native-hook.ts';
import type { Hook } from '../types.ts';
import { readWebhooks, type Webhook } from './config.ts';
import { Sender, type SenderParts } from './sender.ts';

export interface WebhooksParts extends SenderParts {
  readonly hooks: Pick<HookManager, 'replace'>;
}

/** Milliseconds for what still waits when the window closes. */
const FLUSH = 5000;

/** The webhooks of a window: addresses that are told of events, off the turn's path. */
export class Webhooks {
  readonly #parts: WebhooksParts;
  /** By webhook, so that a change of one keeps what the others have to send. */
  #senders: ReadonlyMap<string, Sender> = new Map();
  #webhooks: readonly Webhook[] = [];

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
  }

  list(): readonly Webhook[] {
    return this.#webhooks;
  }

  /** How many deliveries found no room. */
  get dropped(): number {
    return [...this.#senders.values()].reduce((sum, { dropped }) => sum + dropped, 0);
  }

  /** Takes the setting's value; may be called again with the same or another one. */
  configure(value: unknown): void {
    const { webhooks, warnings } = readWebhooks(value);
    for (const warning of [...warnings, ...this.#unsigned(webhooks)]) this.#parts.log.warn(warning);
    const senders = new Map<string, Sender>();
    for (const webhook of webhooks) {
      const key = JSON.stringify(webhook);
      senders.set(key, this.#senders.get(key) ?? new Sender(webhook, this.#parts));
    }
    for (const [key, sender] of this.#senders) if (!senders.has(key)) sender.dispose();
    this.#senders = senders;
    this.#webhooks = webhooks;
    const hooks = webhooks.flatMap((webhook) => {
      const sender = senders.get(JSON.stringify(webhook));
      return sender ? webhook.events.map((event) => this.#hook(webhook, event, sender)) : [];
    });
    this.#parts.hooks.replace('webhooks', hooks);
  }

  /** Takes nothing more and sends what waits, for at most 5 s. */
  async close(): Promise<void> {
    this.#parts.hooks.replace('webhooks', []);
    const senders = [...this.#senders.values()];
    await atMost(this.#parts.clock, FLUSH, Promise.all(senders.map((sender) => sender.idle())));
    for (const sender of senders) sender.dispose();
  }

  #hook(webhook: Webhook, event: HookEvent, sender: Sender): Hook {
    const { name, url, matcher } = webhook;
    const { clock } = this.#parts;
    return {
      id: `webhook:${createHash('sha256').update(`${event} ${url}`).digest('hex').slice(0, 16)}`,
      event,
      declaredAs: event,
      dialect: 'midcourse',
      source: { is: 'webhook' },
      kind: 'webhook',
      name,
      timeout: webhook.timeout,
      failClosed: false,
      answers: false,
      matches: nativeMatches(event, matcher),
      async run(payload) {
        const id = randomUUID().replaceAll('-', '');
        const delivered = sender.send({ id, at: clock.now(), event, payload });
        const later = delivered.then((status) => ({ answer: noAnswer, stdout: `HTTP ${status}, delivery ${id}` }));
        return { answer: noAnswer, later };
      },
    };
  }

  #unsigned(webhooks: readonly Webhook[]): readonly string[] {
    return webhooks.flatMap(({ name, secretEnv }) =>
      secretEnv !== undefined && !this.#parts.env[secretEnv]
        ? [`The webhook ${name}: ${secretEnv} is not set, so that what it is sent is not signed.`]
        : [],
    );
  }
}

/** The door to the webhooks. */

export { readWebhooks, type Webhook } from './config.ts';
export { Webhooks, type WebhooksParts } from './webhooks.ts';

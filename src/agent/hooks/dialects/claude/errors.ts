import type { HookPayload } from '../../../../hooks-api.ts';

type Failure = Pick<HookPayload<'api_request_error'>, 'error_type' | 'error_message'>;

/** Claude Code's word for a failed request. */
export function errorOf({ error_type, error_message }: Failure): string {
  if (/credit|billing|payment/i.test(error_type)) return 'billing_error';
  return WORDS[error_type] ?? (/\b5\d\d\b/.test(error_message) ? 'server_error' : 'unknown');
}

const WORDS: Readonly<Record<string, string>> = {
  auth: 'authentication_failed',
  consent: 'authentication_failed',
  billing: 'billing_error',
  rate_limit: 'rate_limit',
  overloaded: 'overloaded',
  server: 'server_error',
  model_not_found: 'model_not_found',
  output_cap: 'max_output_tokens',
  context_overflow: 'invalid_request',
  payload_too_large: 'invalid_request',
  image_rejected: 'invalid_request',
};

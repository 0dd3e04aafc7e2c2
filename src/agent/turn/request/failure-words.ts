import type { TurnError } from '../../../api.ts';
import { compactionHelps } from '../../model/index.ts';
import type { ModelError, ModelErrorKind } from '../../model/types.ts';
import { tooLong } from '../compaction-run.ts';
import type { LiveTurn } from '../live-turn.ts';

/** For people: what a turn failed with. */
export function errorOf(turn: LiveTurn, error: ModelError, why?: 'compaction_off'): TurnError {
  if (why === 'compaction_off') return compactionOff(turn);
  const { kind, message, action } = stillTooLong(turn, error);
  return { kind, message, ...(action === undefined ? {} : { action }) };
}

/** After a compaction the way out is another one: the same command would be in vain. */
function stillTooLong(turn: LiveTurn, error: ModelError): Pick<ModelError, 'kind' | 'message' | 'action'> {
  const { summary, notCompacted: why } = turn;
  if (!compactionHelps(error.kind) || (!summary && why === undefined)) return error;
  return { ...error, ...tooLong(turn, why) };
}

function compactionOff(turn: LiveTurn): TurnError {
  const model = turn.model?.label ?? 'the model';
  return {
    kind: 'compaction_disabled',
    message: `The conversation is longer than ${model} can read, and compaction is switched off (midcourse.compaction.enabled). Nothing is lost. Compact the conversation yourself, or choose a model with a larger window.`,
    action: 'midcourse.compact',
  };
}

/** One line when another model goes on. */
export function switchWords(from: string | undefined, because: ModelErrorKind, to: string): string {
  return `${from ?? 'The chosen model'} ${BECAUSE[because]}; ${to} goes on.`;
}

const BECAUSE: Readonly<Record<ModelErrorKind, string>> = {
  auth: 'did not accept its key',
  billing: 'has no credit left',
  rate_limit: 'has reached its limit',
  overloaded: 'is overloaded',
  server: 'keeps failing',
  network: 'cannot be reached',
  timeout: 'does not answer',
  stream_cut: 'keeps breaking off',
  context_overflow: 'cannot read a conversation of this length',
  payload_too_large: 'cannot take a conversation of this size',
  output_cap: 'cannot write that much',
  long_context_tier: 'has no long window in this plan',
  image_rejected: 'refused an image',
  reasoning_mandatory: 'does not answer without thinking',
  provider_policy: 'is not allowed by the account’s rules',
  bad_request: 'refused the request',
  model_not_found: 'is not there',
  content_policy: 'refused this content',
  not_json: 'does not answer as a model',
  consent: 'may not be used',
  unknown: 'failed',
};

/** @param tool its name for the model; that of an MCP server's begins with the server's */
export function refusedToolWords(tool: string, model = 'The model'): string {
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  const whose = server === undefined ? '' : ` of the MCP server ${server}`;
  return `${model} does not take the tool ${tool}${whose} as it is declared. It is left out for the rest of this turn, which continues.`;
}

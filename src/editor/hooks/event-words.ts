import * as vscode from 'vscode';
import type { HookEvent } from '../../hooks-api.ts';

/** When hooks of an event run, in words. */
export function eventWords(event: HookEvent): string {
  return words()[event];
}

function words(): Readonly<Record<HookEvent, string>> {
  const { t } = vscode.l10n;
  return {
    on_session_start: t('A session starts'),
    on_session_finalize: t('A session is closed'),
    on_session_reset: t('A new session replaces another'),
    pre_llm_call: t('A message is sent'),
    pre_tool_call: t('Before a tool call'),
    post_tool_call: t('After a tool call'),
    transform_tool_result: t('A tool result is given to the model'),
    transform_terminal_output: t('A command has written its output'),
    transform_llm_output: t('An answer is shown'),
    pre_approval_request: t('An approval is asked for'),
    post_approval_response: t('An approval is answered'),
    pre_verify: t('The model says that it is done'),
    post_llm_call: t('A turn has its answer'),
    on_session_end: t('A turn ends'),
    agent_loop_stopped: t('A turn is stopped'),
    pre_api_request: t('Before a request to the model'),
    post_api_request: t('After a request to the model'),
    api_request_error: t('A request to the model fails'),
    on_stream_start: t('An answer begins to stream'),
    on_stream_delta: t('Streamed text'),
    on_stream_end: t('An answer has streamed'),
    on_interim_message: t('A message of the model'),
    subagent_start: t('An agent starts'),
    subagent_stop: t('An agent ends'),
    pre_compact: t('Before a compaction'),
    post_compact: t('After a compaction'),
    pre_command: t('A slash command'),
    notification: t('A notification'),
    pre_model_switch: t('Before the model is changed'),
    post_model_switch: t('After the model is changed'),
    post_tool_batch: t('All calls of an answer have results'),
  };
}

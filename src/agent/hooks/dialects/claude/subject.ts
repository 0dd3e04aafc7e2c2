import type { HookPayload } from '../../../../hooks-api.ts';
import { claudeTools, isAboutCall, matchNames } from '../tool-aliases/index.ts';
import { errorOf } from './errors.ts';
import type { Subject } from './events.ts';
import { agentType, endReason, modelName } from './stdin.ts';

/** The names that a matcher of the event is compared with. */
export function subjectOf(subject: Subject, payload: HookPayload): readonly string[] {
  switch (subject) {
    case 'tool':
      return isAboutCall(payload) ? matchNames(claudeTools, payload) : [];
    case 'source':
      return 'source' in payload ? [payload.source] : [];
    case 'reason':
      return [endReason(payload)];
    case 'trigger':
      return 'trigger' in payload ? [payload.trigger] : [];
    case 'notification':
      return 'notification_type' in payload ? [payload.notification_type] : [];
    case 'agent':
      return [agentType(payload), ...('child_name' in payload ? [payload.child_name] : [])];
    case 'error':
      return 'will_retry' in payload ? [errorOf(payload)] : [];
    case 'model':
      return 'to_model' in payload ? [modelName(payload.to_model)] : [];
    default:
      return subject satisfies never;
  }
}

/** Hooks that were written for Claude Code. */

import type { HookPayload } from '../../../../hooks-api.ts';
import { eachFits, type Fit, type Soon } from '../../../kernel/patterns/index.ts';
import { claudeTools, foreignCall, isAboutCall } from '../tool-aliases/index.ts';
import type { DeclaredHook, DialectRules, HookSurroundings } from '../types.ts';
import { readConfig } from './config.ts';
import { fires, ruleOf } from './events.ts';
import { fits, parseMatcher } from './matcher.ts';
import { readOutput, readVerdict } from './output.ts';
import { isAbout, parseRule } from './permission-rule.ts';
import { stdin } from './stdin.ts';
import { subjectOf } from './subject.ts';

export const claudeRules: DialectRules = {
  dialect: 'claude',
  readConfig,
  matches,
  stdin,
  environment,
  readOutput,
  readVerdict,
};

function matches({ declaredAs, matcher, when }: DeclaredHook, payload: HookPayload): Soon<Fit> {
  if (!fires(declaredAs, payload)) return false;
  const subject = ruleOf(declaredAs)?.subject;
  return eachFits([
    () => subject === undefined || fits(parseMatcher(matcher), subjectOf(subject, payload)),
    () => {
      if (when === undefined || !isAboutCall(payload)) return true;
      const rule = parseRule(when);
      return rule === undefined || isAbout(rule, foreignCall(claudeTools, payload), payload);
    },
  ]);
}

function environment(_: DeclaredHook, payload: HookPayload, { folders }: HookSurroundings): Record<string, string> {
  return {
    CLAUDE_PROJECT_DIR: folders[0] ?? payload.cwd,
    CLAUDE_CODE_SESSION_ID: payload.parent_session_id ?? payload.session_id,
    ...(payload.effort === undefined ? {} : { CLAUDE_EFFORT: payload.effort }),
  };
}

import * as vscode from 'vscode';
import {
  alternatingTurns,
  askedLast,
  inputOf,
  isBlank,
  NO_OUTPUT,
  type PartWriter,
  plainId,
  toolName,
  toolSchema,
  uniqueTools,
  wellFormed,
} from '../agent/model/index.ts';
import type { ModelImage, ModelRequest } from '../agent/model/types.ts';

type Part =
  | vscode.LanguageModelTextPart
  | vscode.LanguageModelDataPart
  | vscode.LanguageModelToolCallPart
  | vscode.LanguageModelToolResultPart;

/**
 * A request in the words of VS Code's language models, written as for an API that wants turns to alternate: which one is
 * behind a model is its extension's own. The stable API has no system role, so the prompt goes first, as the user's.
 */
export function languageModelMessages({ system, messages }: ModelRequest): vscode.LanguageModelChatMessage[] {
  const turns = alternatingTurns(askedLast(messages), WRITER).map(({ role, parts }) =>
    role === 'user'
      ? vscode.LanguageModelChatMessage.User(parts as vscode.LanguageModelTextPart[])
      : vscode.LanguageModelChatMessage.Assistant(parts as vscode.LanguageModelTextPart[]),
  );
  return isBlank(system) ? turns : [vscode.LanguageModelChatMessage.User(wellFormed(system)), ...turns];
}

export function languageModelTools(tools: ModelRequest['tools']): vscode.LanguageModelChatTool[] {
  return uniqueTools(tools).map(({ name, description, inputSchema }) => ({
    name: toolName(name),
    description,
    inputSchema: toolSchema(inputSchema),
  }));
}

const WRITER: PartWriter<Part> = {
  user: ({ text, images = [] }) => [...textParts(text), ...images.map(imagePart)],
  assistant: ({ text, calls }) => [
    ...textParts(text),
    ...calls.map((call) => new vscode.LanguageModelToolCallPart(idOf(call.callId), toolName(call.name), inputOf(call))),
  ],
  result: ({ callId, text }) =>
    new vscode.LanguageModelToolResultPart(idOf(callId), [textPart(isBlank(text) ? NO_OUTPUT : text)]),
  text: textPart,
};

function textParts(text: string): vscode.LanguageModelTextPart[] {
  return isBlank(text) ? [] : [textPart(text)];
}

function textPart(text: string): vscode.LanguageModelTextPart {
  return new vscode.LanguageModelTextPart(wellFormed(text));
}

function imagePart({ base64, mime }: ModelImage): vscode.LanguageModelDataPart {
  return vscode.LanguageModelDataPart.image(Buffer.from(base64, 'base64'), mime);
}

/** Some models have ids of their own, which another one refuses. */
function idOf(callId: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(callId) ? callId : plainId(callId);
}

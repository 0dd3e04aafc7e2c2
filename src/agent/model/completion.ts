/** One question to a model, outside any session's conversation: for prompt hooks and for plugins. */
export interface CompletionRequest {
  readonly system?: string;
  readonly prompt: string;
  /** `provider/model`; the user's active one when absent. */
  readonly model?: string;
  /** Tokens. */
  readonly maxOutput?: number;
}

export interface Completion {
  readonly text: string;
  /** `provider/model` that answered. */
  readonly model: string;
  readonly usage?: { readonly input: number; readonly output: number };
}

export interface CompletionPort {
  /** Rejects with an `Error` whose message says what to do, and when `signal` aborts. */
  complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
}

import {
  type Answer,
  answers,
  type Notification,
  parseToView,
  type RequestMessage,
  type RequestType,
  type ToView,
} from '../src/protocol/index.ts';

/** What VS Code gives a webview's page. */
export interface EditorPage {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

type WithoutId<T> = T extends unknown ? Omit<T, 'requestId'> : never;

/** The host answered that it could not; `message` is for people. */
export class HostError extends Error {}

/** The page's side of the protocol: every message from the host passes its schema here and nowhere else. */
export class Host {
  readonly #page: EditorPage;
  readonly #waiting = new Map<string, { resolve(value: unknown): void; reject(error: HostError): void }>();
  #lastRequest = 0;

  constructor(page: EditorPage) {
    this.#page = page;
  }

  notify(message: Notification): void {
    this.#page.postMessage(message);
  }

  /** Rejects with a `HostError` when the host says no or answers in another shape. It does not time out. */
  async request<T extends RequestType>(message: WithoutId<RequestMessage<T>>): Promise<Answer<T>> {
    const requestId = String(++this.#lastRequest);
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(requestId, { resolve, reject }));
    this.#page.postMessage({ ...message, requestId });
    const parsed = answers[message.type as RequestType].safeParse(await answered);
    if (!parsed.success) throw new HostError(`The answer to ${message.type} had another shape than expected.`);
    return parsed.data as Answer<T>;
  }

  /** Calls `receive` with each valid message that is no answer to a request. The returned function ends it. */
  listen(page: Window, receive: (message: ToView) => void): () => void {
    const onMessage = (event: MessageEvent<unknown>) => {
      const parsed = parseToView(event.data);
      if (!parsed.ok) {
        this.notify({ type: 'announceError', message: `A message of the host was not understood: ${parsed.problem}` });
      } else if (parsed.message.type === 'reply') {
        this.#settle(parsed.message);
      } else {
        receive(parsed.message);
      }
    };
    page.addEventListener('message', onMessage);
    return () => page.removeEventListener('message', onMessage);
  }

  #settle(reply: Extract<ToView, { type: 'reply' }>): void {
    const waiting = this.#waiting.get(reply.requestId);
    this.#waiting.delete(reply.requestId);
    if (reply.ok) waiting?.resolve(reply.value);
    else waiting?.reject(new HostError(reply.message));
  }
}

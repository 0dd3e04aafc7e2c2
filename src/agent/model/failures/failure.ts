/** What can go wrong on the way to a model and back, before anybody has judged it. `classify.ts` judges. */
export type Failure =
  /** An answer that is not a success. */
  | { readonly at: 'status'; readonly status: number; readonly headers: Headers; readonly body: string }
  /** A success whose body is no event stream: a login page, a proxy's greeting. */
  | { readonly at: 'body'; readonly status: number; readonly contentType: string; readonly body: string }
  /** An error that the provider reported inside its event stream. */
  | { readonly at: 'frame'; readonly body: unknown }
  /** The stream ended before the answer was whole. */
  | { readonly at: 'cut'; readonly why: string }
  /** Nothing came for too long. `gaveUp`: it happened so often in a row that no connection was opened. */
  | { readonly at: 'silent'; readonly why: string; readonly gaveUp?: true }
  /** The platform threw: no connection, no name, a bad certificate, a socket that broke. */
  | { readonly at: 'thrown'; readonly error: unknown; readonly afterHead: boolean };

/** Carries a failure up to the one place that turns it into a part. */
export class ModelFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`The model request failed (${failure.at}).`);
    this.name = 'ModelFailure';
    this.failure = failure;
  }
}

/** The provider as people and the log know it. */
export interface Endpoint {
  /** Host and port, such as `api.openai.com`. */
  readonly host: string;
  readonly model: string;
  readonly hasKey: boolean;
  /** What must never appear in a message or the log. */
  readonly secrets: readonly string[];
}

import type { CallToolOptions } from '@x/internal/contracts';

/** The tools of one view for one model API, and what runs the model's calls of them. */
export interface ModelTools<Tools, Call, Answer> {
  /** The view's tools at this moment, in the API's form. Each read lists anew, so read it for each request. */
  readonly tools: Tools;
  /**
   * Runs a model's tool call. The answer goes back to the API as it is; it also reports failures, even those of unknown
   * tools and invalid arguments.
   *
   * @param call - As the API returned it.
   * @throws {TypeError} `call` is not one call of this API, or an option is invalid.
   * @throws The reason of `options.signal` when it aborts.
   */
  run(call: Call, options?: CallToolOptions): Promise<Answer>;
}

/** Tools that the model finds by search. One object serves one conversation. */
export interface DeferredModelTools<Tools, Call, Answer> extends ModelTools<Tools, Call, Answer> {
  /**
   * Loads the tools that a stored conversation refers to, before its next request.
   *
   * @param messages - Messages in the API's form.
   */
  resume(messages: readonly unknown[]): void;
}

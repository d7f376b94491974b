import type {
  CallHandler,
  CallToolOptions,
  JsonSchema,
  SourceTool,
  ToolArguments,
  ToolCaller,
  ToolCallResult,
} from '../contracts.js';
import type { DecisionSink } from './audit-trail.js';
import type { ToolView } from './tool-view.js';

/**
 * A step around the requests of views, as a plain object. Requests pass the interceptors in their order, results in
 * reverse. An error of an interceptor refuses the request.
 */
export interface Interceptor {
  /** In errors and audit events. */
  readonly name: string;
  /** Tools that `call` answers, with a description each. Those of a view's interceptor are in that view alone. Default: none. */
  readonly tools?: readonly SourceTool[] | undefined;
  /**
   * Returns the tool as callers of a role see it, with other texts or schemas, or `undefined` to hide it. Called once
   * per tool until the tool or the rules change, so it must be pure. Name, server, annotations and state stay.
   */
  readonly list?: ((tool: ToolView, caller: ToolCaller) => ToolView | undefined) | undefined;
  /** Passes, changes, answers or refuses a call whose arguments fit. Calls `next` at most once. */
  readonly call?: ((call: InterceptedCall, next: NextCall) => Promise<ToolCallResult>) | undefined;
  /** Returns the result for the caller, also for the result of a task. Receives final results only. */
  readonly result?:
    | ((result: ToolCallResult, call: InterceptedResult) => ToolCallResult | Promise<ToolCallResult>)
    | undefined;
  /** Passes, changes, answers or refuses a read of a resource through a gateway. Calls `next` at most once. */
  readonly read?: ((read: InterceptedRead, next: NextRequest) => Promise<RequestResult>) | undefined;
  /** Passes, changes, answers or refuses a request for a prompt through a gateway. Calls `next` at most once. */
  readonly getPrompt?: ((prompt: InterceptedPrompt, next: NextRequest) => Promise<RequestResult>) | undefined;
  /**
   * Returns the body, changed or not, of any other message from a server to a client of a gateway or of a served
   * registry. Must be synchronous. An error drops a notification, and refuses any other message.
   */
  readonly message?: ((message: InterceptedMessage) => RequestResult) | undefined;
}

/**
 * A message from a server to a client, other than the result of a call, a read or a request for a prompt: progress, log
 * entries, questions, lists, completions, tasks, and methods of extensions.
 */
export interface InterceptedMessage {
  /** `request`: a question of the server to the client. `error`: of a request that passes no other hook. */
  readonly kind: 'notification' | 'request' | 'result' | 'error';
  /** Method of the notification or request; of a result or error, that of its request. */
  readonly method: string;
  /** `undefined` for a list of several servers. */
  readonly server: string | undefined;
  readonly caller: ToolCaller;
  /** The `params`, the result, or `message` and `data` of an error. */
  readonly body: RequestResult;
}

/** Common to all intercepted requests. */
export interface InterceptedRequest {
  /** Role and principal of the view. */
  readonly caller: ToolCaller;
  /** Aborts when the request is cancelled, exceeds its time limit, or the registry closes. */
  readonly signal: AbortSignal;
  /** Adds a short text to the audit event, such as who approved. Must contain no secrets. */
  note(text: string): void;
}

/** A call of a tool. */
export interface InterceptedCall extends InterceptedRequest {
  /** As the caller sees it. */
  readonly tool: ToolView;
  /** The tool's own schema, before any `list` changed it. */
  readonly ownInputSchema: JsonSchema;
  readonly args: ToolArguments;
  /** Options of the caller, such as `handler`, which reaches the caller's user, and `meta`. */
  readonly options: CallToolOptions;
  /** True if a program of `execute_mcp_code` gets the result. */
  readonly isForProgram: boolean;
}

/** The call of a result. */
export interface InterceptedResult extends Pick<InterceptedCall, 'tool' | 'caller' | 'note' | 'isForProgram'> {
  /** Knows what the client declares. `undefined` for calls of the app. */
  readonly handler?: CallHandler | undefined;
}

/** Continues a call. The arguments may be others; the tool's own schema checks them again. */
export type NextCall = (changes?: CallChanges) => Promise<ToolCallResult>;

/** Continues a request. */
export type NextRequest = () => Promise<RequestResult>;

/** Changes of a call. Absent ones stay. */
export interface CallChanges {
  readonly args?: ToolArguments | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** True to refuse the call if the tool or these arguments are others when it is sent. Default `false`. */
  readonly isFinal?: boolean | undefined;
}

/** A read of a resource. */
export interface InterceptedRead extends InterceptedRequest {
  /** `undefined`: no server that the caller may use has it, and `next` rejects. */
  readonly server: string | undefined;
  /** The server's own URI. */
  readonly uri: string;
}

/** A request for a prompt. */
export interface InterceptedPrompt extends InterceptedRequest {
  readonly server: string;
  /** The server's own name. */
  readonly prompt: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A result of the protocol, as received. */
export type RequestResult = Readonly<Record<string, unknown>>;

/** The interceptors of one caller. */
export interface InterceptorParts {
  readonly interceptors: readonly Interceptor[];
  readonly caller: ToolCaller;
}

/** Interceptors of a view, for gateways. */
export interface ViewInterceptors {
  /** Read for each request, because the caller's role may change. */
  readonly parts: InterceptorParts;
  read(read: PendingRead, request: () => Promise<RequestResult>): Promise<RequestResult>;
  getPrompt(prompt: PendingPrompt, request: () => Promise<RequestResult>): Promise<RequestResult>;
  /**
   * Applies `result` of all interceptors to a result that arrives later than its call.
   *
   * @throws The `invalid-result` of the registry if it is none.
   */
  result(result: unknown, tool: ToolView, late?: LateResult): Promise<ToolCallResult>;
}

/** The request that brings a late result. */
export interface LateResult extends Pick<InterceptedResult, 'handler'> {
  readonly onDecision?: DecisionSink;
}

interface Pending {
  readonly signal: AbortSignal;
  readonly onDecision?: DecisionSink;
}

export interface PendingRead extends Pending, Pick<InterceptedRead, 'server' | 'uri'> {}

export interface PendingPrompt extends Pending, Pick<InterceptedPrompt, 'server' | 'prompt' | 'args'> {}

/** Key of a view's interceptors. */
export const INTERCEPTORS: unique symbol = Symbol.for('@x/mcp-registry.interceptors');

export interface Intercepted {
  readonly [INTERCEPTORS]: ViewInterceptors | undefined;
}

export function interceptorsOf(view: object): ViewInterceptors | undefined {
  return INTERCEPTORS in view ? (view as Intercepted)[INTERCEPTORS] : undefined;
}

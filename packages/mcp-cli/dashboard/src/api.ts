import type { ToolProgress } from '@x/mcp-registry';
import type { Control } from '../../src/control/control.js';
import type {
  ActionResult,
  AdminAction,
  CallMessage,
  ConfirmationView,
  ErrorView,
  MethodResponse,
  PageKey,
  QuestionAnswer,
  QuestionView,
  SessionView,
} from '../../src/dashboard/page-messages.js';

/** Requests a report of the page. */
export async function get<Result>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Result> {
  return receive<Result>(`api/${path}?${new URLSearchParams(query)}`, signal ? { signal } : {});
}

/** Methods of the daemon's table that a page only reads with. */
export type LookMethod =
  | 'configFiles'
  | 'serverEdit'
  | 'planServerEdit'
  | 'usage'
  | 'search'
  | 'modelSearch'
  | 'describe'
  | 'serverHistory'
  | 'roles'
  | 'explain'
  | 'access'
  | 'listResources'
  | 'listResourceTemplates'
  | 'listPrompts'
  | 'completeArgument'
  | 'recordedCalls'
  | 'findRecordedCalls';
export type ParamsOf<Name extends keyof Control> = Control[Name] extends (...options: infer Options) => unknown
  ? Omit<NonNullable<Options[0]>, 'signal'>
  : never;
export type ResultOf<Name extends LookMethod> = Awaited<ReturnType<Control[Name]>>;

/** Sends a request of the daemon's table of control methods. `adminKey`: for those that need more than to look. */
export async function request<Name extends LookMethod>(
  method: Name,
  params: ParamsOf<Name>,
  signal?: AbortSignal,
  adminKey?: string,
): Promise<ResultOf<Name>> {
  const init = postOf(params, adminKey);
  const response = await receive<MethodResponse<ResultOf<Name>>>(
    `api/control/${method}`,
    signal ? { ...init, signal } : init,
  );
  return response.result;
}

/** A failed call, with the code and the remedy of the daemon. */
export class CallFailure extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ code, message, hint }: Extract<CallMessage, { readonly error: unknown }>['error']) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Methods that reach a server and need the right to call. */
export type CallMethod = 'call' | 'readResource' | 'getPrompt';
export type CallParams<Name extends CallMethod> = Omit<
  ParamsOf<Name>,
  'onProgress' | 'onServerRequest' | 'approval' | 'client' | 'timeoutMs'
>;
export type CallResult<Name extends CallMethod> = Awaited<ReturnType<Control[Name]>>;

interface CallListeners {
  readonly adminKey: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
  readonly onQuestion: (question: QuestionView) => void;
  /** Receives the id of a question that needs no answer any more. */
  readonly onWithdrawn: (id: string) => void;
}

/**
 * Calls a tool, reads a resource or gets a prompt. An abort cancels it.
 *
 * @throws {CallFailure} It failed. An error of a tool is a result.
 */
export async function callServer<Name extends CallMethod>(
  method: Name,
  params: CallParams<Name>,
  { adminKey, signal, onProgress, onQuestion, onWithdrawn }: CallListeners,
): Promise<CallResult<Name>> {
  const response = await send(`api/control/${method}`, { ...postOf(params, adminKey), signal });
  if (!response.ok || !response.body) throw await failureOf(response);
  for await (const message of messagesIn(response.body)) {
    if ('item' in message) onProgress(message.item as ToolProgress);
    else if ('ask' in message) onQuestion(message.ask);
    else if ('withdrawn' in message) onWithdrawn(message.withdrawn);
    else if ('error' in message) throw new CallFailure(message.error);
    else return message.result as CallResult<Name>;
  }
  throw new Error('The connection was lost. The request may or may not have had its effect.');
}

export async function answerQuestion(id: string, answer: QuestionAnswer, adminKey: string): Promise<void> {
  await post('answers', { id, answer }, adminKey);
}

async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<CallMessage, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let parts: string[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const [rest = '', ...lines] = value.split('\n');
    parts.push(rest);
    for (const line of lines) {
      yield JSON.parse(parts.join('')) as CallMessage;
      parts = [line];
    }
  }
}

function postOf(body: object, adminKey?: string): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-mcpx-dashboard': '1', // no form and no other site can send it
      ...(adminKey !== undefined && { 'x-mcpx-admin-key': adminKey }),
    },
    body: JSON.stringify(body),
  };
}

async function post<Result>(path: string, body: object, adminKey?: string): Promise<Result> {
  return receive<Result>(`api/${path}`, postOf(body, adminKey));
}

export function requestConfirmation(action: AdminAction, adminKey: string): Promise<ConfirmationView> {
  return post('admin/confirmations', action, adminKey);
}

export function confirmAction({ id }: ConfirmationView, adminKey: string): Promise<ActionResult> {
  return post('admin/actions', { confirmation: id }, adminKey);
}

/**
 * Requests a failed event stream again, because an `EventSource` does not report the reason.
 *
 * @returns `isFinal`: retries are useless.
 */
export async function failureReason(
  url: string,
  signal: AbortSignal,
): Promise<{ readonly reason: string; readonly isFinal: boolean }> {
  const ended = new AbortController();
  const either = AbortSignal.any([ended.signal, signal, AbortSignal.timeout(5_000)]);
  try {
    const response = await fetch(url, { credentials: 'same-origin', signal: either });
    const result: unknown = response.ok ? undefined : await response.json().catch(() => undefined);
    if (response.status === 404) return { reason: 'The daemon of this page has ended.', isFinal: true };
    const reason = (result as Partial<ErrorView> | undefined)?.error?.message ?? 'The connection was lost.';
    return { reason, isFinal: response.status === 401 };
  } catch {
    return { reason: 'The daemon does not respond.', isFinal: false };
  } finally {
    ended.abort(); // the body is not read
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  return await fetch(url, { ...init, credentials: 'same-origin' }).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    throw new Error('The daemon does not respond.', { cause });
  });
}

async function receive<Result>(url: string, init: RequestInit): Promise<Result> {
  const response = await send(url, init);
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as Result;
}

async function failureOf(response: Response): Promise<Error> {
  const result: unknown = await response.json().catch(() => undefined);
  const error = (result as Partial<ErrorView> | undefined)?.error;
  return new Error(error?.message ?? `The daemon responded with status ${response.status}.`);
}

export interface Session {
  /** Absent on a page that may only look. */
  readonly adminKey?: string | undefined;
  readonly may: PageKey;
  /** Reason why the link of the page is invalid. */
  readonly problem?: string | undefined;
}

/** Session storage ends with the tab and is not shared with other ports. */
const keyName = 'mcpx-admin-key';
const mayName = 'mcpx-may';

/** Exchanges the link in the address for a session, and removes it from the address and the history. */
export async function signIn(): Promise<Session> {
  const token = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return storedSession();
  history.replaceState(null, '', location.pathname);
  try {
    const { adminKey, may } = await post<SessionView>('session', { token });
    sessionStorage.setItem(mayName, may);
    if (adminKey === undefined) sessionStorage.removeItem(keyName);
    else sessionStorage.setItem(keyName, adminKey);
    return { adminKey, may };
  } catch (error) {
    return { may: 'look', problem: messageOf(error) };
  }
}

/** What the page offers. The daemon checks each request itself. */
function storedSession(): Session {
  const adminKey = sessionStorage.getItem(keyName) ?? undefined;
  const may = sessionStorage.getItem(mayName);
  if (adminKey === undefined) return { may: 'look' };
  return { adminKey, may: may === 'call' ? 'call' : 'operate' };
}

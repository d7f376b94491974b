import type {
  ActionResult,
  AdminAction,
  ConfirmationView,
  ErrorView,
  SessionView,
} from '../../src/dashboard/page-messages.js';

/** Sends a request that changes nothing. */
export async function get<Result>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Result> {
  return receive<Result>(`api/${path}?${new URLSearchParams(query)}`, signal ? { signal } : {});
}

/** Sends a request that changes something, with a header that no form and no other site can send. */
async function post<Result>(path: string, body: object, adminKey?: string): Promise<Result> {
  return receive<Result>(`api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-mcpx-dashboard': '1',
      ...(adminKey !== undefined && { 'x-mcpx-admin-key': adminKey }),
    },
    body: JSON.stringify(body),
  });
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

async function receive<Result>(url: string, init: RequestInit): Promise<Result> {
  const response = await fetch(url, { ...init, credentials: 'same-origin' }).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    throw new Error('The daemon does not respond.', { cause });
  });
  const result: unknown = await response.json().catch(() => undefined);
  if (response.ok) return result as Result;
  const error = (result as Partial<ErrorView> | undefined)?.error;
  throw new Error(error?.message ?? `The daemon responded with status ${response.status}.`);
}

export interface Session {
  /** Absent on a read-only page. */
  readonly adminKey?: string | undefined;
  /** Reason why the link of the page is invalid. */
  readonly problem?: string | undefined;
}

/** Session storage ends with the tab and is not shared with other ports. */
const keyName = 'mcpx-admin-key';

/** Exchanges the link in the address for a session, and removes it from the address and the history. */
export async function signIn(): Promise<Session> {
  const token = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return { adminKey: sessionStorage.getItem(keyName) ?? undefined };
  history.replaceState(null, '', location.pathname);
  try {
    const { adminKey } = await post<SessionView>('session', { token });
    if (adminKey === undefined) sessionStorage.removeItem(keyName);
    else sessionStorage.setItem(keyName, adminKey);
    return { adminKey };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

import type { ActionResult, AdminAction, ConfirmationView, ErrorView } from '../../src/dashboard/page-messages.js';

/** Sends a request that changes nothing. */
export async function ask<Answer>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  return receive<Answer>(`api/${path}?${new URLSearchParams(query)}`, signal ? { signal } : {});
}

/** Sends a request that changes something, with a header that no form and no other site can send. */
export async function send<Answer>(path: string, body: object, adminKey?: string): Promise<Answer> {
  return receive<Answer>(`api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-mcpx-dashboard': '1',
      ...(adminKey !== undefined && { 'x-mcpx-admin-key': adminKey }),
    },
    body: JSON.stringify(body),
  });
}

export function askForConfirmation(action: AdminAction, adminKey: string): Promise<ConfirmationView> {
  return send('admin/confirmations', action, adminKey);
}

export function carryOut({ id }: ConfirmationView, adminKey: string): Promise<ActionResult> {
  return send('admin/actions', { confirmation: id }, adminKey);
}

/**
 * Requests a failed event stream again, because an `EventSource` does not report the reason.
 *
 * @returns `isFinal`: retries are useless.
 */
export async function whyNot(
  url: string,
  signal: AbortSignal,
): Promise<{ readonly reason: string; readonly isFinal: boolean }> {
  const left = new AbortController();
  const either = AbortSignal.any([left.signal, signal, AbortSignal.timeout(5_000)]);
  try {
    const response = await fetch(url, { credentials: 'same-origin', signal: either });
    const answer: unknown = response.ok ? undefined : await response.json().catch(() => undefined);
    if (response.status === 404) return { reason: 'The daemon that this page was of has ended.', isFinal: true };
    const reason = (answer as Partial<ErrorView> | undefined)?.error?.message ?? 'The connection broke off.';
    return { reason, isFinal: response.status === 401 };
  } catch {
    return { reason: 'The daemon does not answer.', isFinal: false };
  } finally {
    left.abort(); // the body is not read
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function receive<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, credentials: 'same-origin' }).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    throw new Error('The daemon does not answer.', { cause });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Answer;
  const error = (answer as Partial<ErrorView> | undefined)?.error;
  throw new Error(error?.message ?? `The daemon answered with ${response.status}.`);
}

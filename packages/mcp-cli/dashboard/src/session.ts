import type { SessionView } from '../../src/dashboard/page-messages.js';
import { messageOf, send } from './api.js';

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
    const { adminKey } = await send<SessionView>('session', { token });
    if (adminKey === undefined) sessionStorage.removeItem(keyName);
    else sessionStorage.setItem(keyName, adminKey);
    return { adminKey };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

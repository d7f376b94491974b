import type { SessionView } from '../../src/dashboard/page-messages.js';
import { messageOf, send } from './api.js';

export interface Session {
  /** Left out on a page that may only look. */
  readonly adminKey?: string | undefined;
  /** Why the link that the page was opened with is no good. */
  readonly problem?: string | undefined;
}

/** Ends with the tab, and no other port of this machine can read it. */
const keyName = 'mcpx-admin-key';

/** Trades the link in the address for a session, and takes it out of the address and so out of the history. */
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

import type { CallHost } from '../session/call-host.js';

/** The caller of a call or another request. */
export interface CallCaller {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

/** Key of the caller in the server's queue, compared with `===`; `undefined`: anonymous. */
export function queueKeyOf({
  host,
  caller,
}: {
  readonly host: CallHost | undefined;
  readonly caller: CallCaller | undefined;
}): unknown {
  const { principal, role } = caller ?? {};
  if (host?.owner !== undefined) return host.owner;
  if (principal !== undefined) return principal;
  if (host !== undefined) return host.client;
  return role === undefined ? undefined : `role ${role}`;
}

import type { CallHost } from '../session/call-host.js';

/** For whom a call or another request is made. */
export interface CallCaller {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

/** With whom a call shares the server's turns, compared with `===`; `undefined`: it is made for nobody in particular. */
export function sharerOf({
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

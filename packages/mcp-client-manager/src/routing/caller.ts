import type { CallHandler } from '../session/server-requests/call-handler.js';

/** The caller of a call or another request. */
export interface CallCaller {
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

/** Compared with `===`; `undefined`: anonymous. */
export function queueKeyOf({
  handler,
  caller,
}: {
  readonly handler: CallHandler | undefined;
  readonly caller: CallCaller | undefined;
}): unknown {
  const { principal, role } = caller ?? {};
  if (handler?.owner !== undefined) return handler.owner;
  if (principal !== undefined) return principal;
  if (handler !== undefined) return handler.client;
  return role === undefined ? undefined : `role ${role}`;
}

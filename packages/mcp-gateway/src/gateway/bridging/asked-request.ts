import { isSameJson } from '@x/internal/json';

/** The part of a request that one that continues it must repeat. */
export interface AskedRequest {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

export interface Asker {
  /** The client's connection, or its principal. `undefined` for anonymous requests. */
  readonly caller: unknown;
  /** The token's owner, and the rights: role, principal and servers. */
  readonly scope: string;
}

export function isSameRequest(left: AskedRequest, right: AskedRequest): boolean {
  return left.method === right.method && left.name === right.name && isSameJson(left.args, right.args);
}

export function isSameAsker(left: Asker, right: Asker): boolean {
  return left.caller === right.caller && left.scope === right.scope;
}

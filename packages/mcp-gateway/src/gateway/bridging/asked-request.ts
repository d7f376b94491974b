import { isSameJson } from '@x/internal/json';

/** A client's request, reduced to what a later one must repeat to continue it. */
export interface AskedRequest {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

/** The sender of a request. */
export interface Asker {
  /** The client's connection, or its principal; `undefined` for anonymous requests. */
  readonly caller: unknown;
  /** Its token, and its rights: role, principal and servers. */
  readonly scope: string;
}

export function isSameRequest(left: AskedRequest, right: AskedRequest): boolean {
  return left.method === right.method && left.name === right.name && isSameJson(left.args, right.args);
}

export function isSameAsker(left: Asker, right: Asker): boolean {
  return left.caller === right.caller && left.scope === right.scope;
}

import { isSameJson } from '@x/internal/json';

/** A client's request, as far as a later one has to be the same to go on with it. */
export interface AskedRequest {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

/** Who has made a request. */
export interface Asker {
  /** The client's connection, or its principal; `undefined` where requests stand for nobody. */
  readonly caller: unknown;
  /** By which token it came and as what it was served: its role, its principal and its servers. */
  readonly scope: string;
}

export function isSameRequest(left: AskedRequest, right: AskedRequest): boolean {
  return left.method === right.method && left.name === right.name && isSameJson(left.args, right.args);
}

export function isSameAsker(left: Asker, right: Asker): boolean {
  return left.caller === right.caller && left.scope === right.scope;
}

import type { FakeError } from './fake-server-script.js';

/** Thrown by what answers a request with a JSON-RPC error. */
export class RpcFault extends Error {
  readonly error: FakeError;

  constructor(error: FakeError) {
    super(error.message);
    this.error = error;
  }
}

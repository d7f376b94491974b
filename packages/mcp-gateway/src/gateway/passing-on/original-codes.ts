import type { RequestId, Transport } from '@modelcontextprotocol/server';
import { RESOURCE_NOT_FOUND } from '../resource-not-found.js';

/**
 * The protocol library writes -32002 as -32602, which is what the 2026-07-28 revision says. Those before it say -32002,
 * and a client of those is to be told what the server has said.
 */
export class OriginalCodes {
  readonly #requests = new Set<RequestId>();

  /** To be called before the error of a request of an earlier revision is thrown. */
  keep(request: RequestId, code: number): void {
    if (code === RESOURCE_NOT_FOUND) this.#requests.add(request);
  }

  /** The library has no place for this but the transport, whose `send` is taken over. */
  follow(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!('error' in message) || message.id === undefined || !this.#requests.delete(message.id)) {
        return send(message, options);
      }
      return send({ ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } }, options);
    };
  }
}

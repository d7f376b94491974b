import type { RequestId } from '@modelcontextprotocol/server';
import type { DirectServer } from '../direct-calls.js';
import type { PlainCall } from '../requests/plain-call.js';
import type { SessionTransport } from './session-transport.js';

/** The calls of one session that its server answers without the protocol library. */
export class SessionCalls {
  readonly #server: DirectServer;
  readonly #underWay = new Map<RequestId, AbortController>();

  constructor(server: DirectServer) {
    this.#server = server;
  }

  /** @returns Whether the call is answered here. */
  takeOver(call: PlainCall, transport: SessionTransport): boolean {
    const { direct } = this.#server;
    if (direct === undefined) return false;
    const ended = new AbortController();
    this.#underWay.set(call.id, ended);
    direct.call(call, ended.signal).then(
      (outcome) => {
        this.#underWay.delete(call.id);
        if (ended.signal.aborted) return;
        if (outcome.kind === 'result') {
          void transport.send({ jsonrpc: '2.0', id: call.id, result: { ...outcome.result } });
          return;
        }
        this.#server.prepare?.(call.id, outcome.settle);
        transport.onmessage?.(call.message, {});
      },
      () => this.#underWay.delete(call.id), // nobody wants to know any more
    );
    return true;
  }

  cancel(request: RequestId): void {
    this.#underWay.get(request)?.abort(new Error('The client has cancelled the request'));
  }

  end(): void {
    for (const ended of this.#underWay.values()) ended.abort(new Error('The session is over'));
    this.#underWay.clear();
  }
}

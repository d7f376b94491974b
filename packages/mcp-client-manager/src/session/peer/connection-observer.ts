import type { Operation, PeerFacts, Telemetry } from '@x/internal/contracts';
import type { Params } from './json-rpc.js';

/** Reports the requests of one connection. */
export class ConnectionObserver {
  readonly #telemetry: Telemetry;
  #peer: PeerFacts & { readonly server: string };

  constructor(telemetry: Telemetry, peer: PeerFacts & { readonly server: string }) {
    this.#telemetry = telemetry;
    this.#peer = peer;
  }

  get peer(): PeerFacts {
    return this.#peer;
  }

  /** Begins a request of the manager itself, or a part of a larger one. */
  begin(method: string, params: Params, meta?: Params | undefined): Operation | undefined {
    const { server } = this.#peer;
    return this.#telemetry.begin({ kind: 'client', method, params, meta, server });
  }

  /** Begins a request of the server. */
  received(method: string, params: Params, id: string | number): Operation | undefined {
    const { server } = this.#peer;
    const operation = this.#telemetry.begin({ kind: 'server', method, params, server });
    operation?.sent(id, this.#peer);
    return operation;
  }

  /** Begins the session. The returned function ends it. */
  agreed(facts: Pick<PeerFacts, 'protocolVersion' | 'sessionId'>): (error?: unknown) => void {
    this.#peer = { ...this.#peer, ...facts };
    return this.#telemetry.beginSession('client', this.#peer);
  }
}

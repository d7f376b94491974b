import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import type { Operation, PeerFacts, ServerRequest, Telemetry } from '@x/internal/contracts';
import { MODERN_REVISION } from './client-messages.js';
import type { Fields, SortedParams } from './client-request.js';
import type { ClientServer } from './client-server.js';

/** Headers of the HTTP request that carries a message. Names are in lower case. */
export type HeaderOf = (name: string) => string | null;

interface LinkFacts {
  readonly transport?: PeerFacts['transport'] | undefined;
  readonly sessionId?: string | undefined;
}

/** Reports the requests of one client. */
export class ClientObserver {
  readonly #telemetry: Telemetry;
  readonly #server: ClientServer;
  readonly #link: LinkFacts;
  #peer: PeerFacts = { transport: 'in-process' };
  #end: (() => void) | undefined;

  constructor(telemetry: Telemetry, server: ClientServer, link: LinkFacts) {
    this.#telemetry = telemetry;
    this.#server = server;
    this.#link = link;
  }

  received(
    { id, method }: Pick<JSONRPCRequest, 'id' | 'method'>,
    { params, _meta: meta }: SortedParams,
    header: HeaderOf | undefined,
  ): Operation | undefined {
    const operation = this.#telemetry.begin({ kind: 'server', method, params, meta, header });
    operation?.sent(id, this.#facts());
    return operation;
  }

  /** Reports a request to the client, as a part of the client's own. */
  async asking(
    { method, params }: ServerRequest,
    { headers: meta }: Operation,
    ask: (request: ServerRequest) => Promise<Fields>,
  ): Promise<Fields> {
    const operation = this.#telemetry.begin({ kind: 'client', method, params: { ...params }, meta });
    if (operation === undefined) return ask({ method, params });
    operation.sent(undefined, this.#facts());
    try {
      const _meta = { ...(params?._meta as Fields | undefined), ...operation.headers };
      const result = await ask({ method, params: Object.keys(_meta).length === 0 ? params : { ...params, _meta } });
      operation.end({ result });
      return result;
    } catch (error) {
      operation.end({ error });
      throw error;
    }
  }

  initialized(): void {
    this.#end ??= this.#telemetry.beginSession('server', this.#facts());
  }

  closed(): void {
    this.#end?.();
  }

  #facts(): PeerFacts {
    const { era, revision } = this.#server;
    const protocolVersion = era === 'modern' ? MODERN_REVISION : revision;
    const { transport = 'in-process', sessionId } = this.#link;
    const { protocolVersion: lastVersion, sessionId: lastSession, transport: last } = this.#peer;
    if (protocolVersion !== lastVersion || sessionId !== lastSession || transport !== last) {
      this.#peer = { transport, protocolVersion, sessionId };
    }
    return this.#peer;
  }
}

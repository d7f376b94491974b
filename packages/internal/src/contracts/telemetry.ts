/** Receives the requests of a manager or gateway. `createTelemetry` of the entry `/telemetry` makes one. Nothing of it throws. */
export interface Telemetry {
  /** Begins a request. `undefined`: it is not reported. */
  begin(request: ObservedRequest): Operation | undefined;
  /** Begins a session. The returned function ends it; `error` is set if it was lost. */
  beginSession(kind: 'client' | 'server', peer: PeerFacts): (error?: unknown) => void;
  /** Reads the servers of a manager whenever metrics are collected. */
  observeServers(read: () => readonly ObservedServer[]): Disposable;
}

/** A request when it begins. Only the name of a tool or prompt, a URI and `_meta` are read of `params`. */
export interface ObservedRequest {
  /** `client`: this side sends the request. */
  readonly kind: 'client' | 'server';
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Added to `params._meta`, which may name the parent. Default for a client: the active span. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Headers of the HTTP request. Names are in lower case. */
  readonly header?: ((name: string) => string | null) | undefined;
  /** Server of a manager. */
  readonly server?: string | undefined;
}

/** One request in progress. */
export interface Operation {
  /** Headers of the HTTP request, such as `traceparent`. Empty without a propagator. */
  readonly headers: Readonly<Record<string, string>>;
  /** The given `meta` with the request's own `traceparent` and others in place of the parent's. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Called once per attempt. Durations count from the last one. `id`: of JSON-RPC, if known. */
  sent(id: string | number | undefined, peer: PeerFacts): void;
  /** Its requests are reported by themselves, so metrics leave it out. */
  divided(): void;
  event(name: string): void;
  /** Runs `work` with the request as the active span. */
  during<Value>(work: () => Value): Value;
  /** Ends the request. Only the first call counts. */
  end(outcome: OperationOutcome): void;
}

/** `result`: a JSON-RPC result. `error`: the failure, with a `code` or `rpc`. */
export type OperationOutcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: unknown };

/** The other side of a connection. */
export interface PeerFacts {
  readonly protocolVersion?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly transport: 'stdio' | 'http' | 'in-process';
  /** URL of the server. Only its host and port are recorded. */
  readonly url?: string | undefined;
  /** Server of a manager. */
  readonly server?: string | undefined;
}

/** A row of `manager.status()`. */
export interface ObservedServer {
  readonly name: string;
  readonly state: string;
  readonly tools: number;
  readonly callsInFlight: number;
  readonly callsQueued: number;
  readonly restarts: number;
}

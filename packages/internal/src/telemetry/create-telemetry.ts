import type { Attributes, Span } from '@opentelemetry/api';
import type {
  ObservedRequest,
  ObservedServer,
  Operation,
  OperationOutcome,
  PeerFacts,
  Telemetry,
} from '../contracts/telemetry.js';
import { errorAttributes, outcomeAttributes, peerAttributes, shortText } from './attributes.js';
import { Guard } from './guard.js';
import { createInstruments, type Instruments, observeServers } from './instruments.js';
import { KnownValues, OTHER } from './known-values.js';
import { LabelCache } from './label-cache.js';
import type { OpenTelemetryApi, TracingApi, UsedMeter } from './open-telemetry-api.js';
import { factsOfFailed, type RequestFacts, RequestFactsCache } from './request-facts.js';
import { noHeaders, type TracedRequest, Tracing } from './tracing.js';

const SCOPE = '@x/mcp';
const ERROR = 2; // of SpanStatusCode
/** Distinct kinds of errors: servers choose the codes of JSON-RPC. */
const MAX_ERRORS = 100;

/**
 * Creates what the option `telemetry` takes: spans and metrics by the OpenTelemetry conventions for MCP, from the app's
 * own OpenTelemetry. Contains no arguments, results and error messages.
 *
 * @param api - `import * as api from '@opentelemetry/api'`. Any part may be replaced, such as `metrics` by a `MeterProvider`.
 * @throws {TypeError} A part of the API is missing.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export function createTelemetry(api: OpenTelemetryApi): Telemetry {
  const { metrics, trace, context, propagation } = Object(api) as OpenTelemetryApi;
  if (typeof metrics?.getMeter !== 'function') {
    throw new TypeError('createTelemetry() takes the API: import * as api from "@opentelemetry/api"');
  }
  const hasTracing = trace !== undefined && context !== undefined && propagation !== undefined;
  return new OpenTelemetry(metrics.getMeter(SCOPE), hasTracing ? { trace, context, propagation } : undefined);
}

class OpenTelemetry implements Telemetry {
  readonly guard = new Guard();
  readonly tracing: Tracing | undefined;
  readonly instruments: Instruments;
  readonly errors = new KnownValues(MAX_ERRORS);
  readonly labels = new LabelCache();
  readonly facts = new RequestFactsCache();

  readonly #meter: UsedMeter;

  constructor(meter: UsedMeter, tracing: TracingApi | undefined) {
    this.#meter = meter;
    this.tracing = tracing && new Tracing(tracing, SCOPE, this.guard);
    this.instruments = createInstruments(meter);
  }

  begin(request: ObservedRequest): Operation {
    return new RequestSpan(this, request);
  }

  beginSession(kind: 'client' | 'server', peer: PeerFacts): (error?: unknown) => void {
    const startedAt = performance.now();
    let isOver = false;
    return (error) => {
      if (isOver) return;
      isOver = true;
      this.guard.attempt(() => {
        const { shared } = peerAttributes(peer);
        const attributes =
          error === undefined ? shared : { ...shared, 'error.type': errorAttributes(error)['error.type'] };
        this.instruments[kind].session.record(secondsSince(startedAt), attributes);
      });
    };
  }

  observeServers(read: () => readonly ObservedServer[]): Disposable {
    const observing = this.guard.attempt(() => observeServers(this.#meter, read));
    return { [Symbol.dispose]: () => void this.guard.attempt(() => observing?.[Symbol.dispose]()) };
  }
}

type NameKey = keyof RequestFactsCache['names'];

class RequestSpan implements Operation {
  readonly headers: Readonly<Record<string, string>>;
  readonly #telemetry: OpenTelemetry;
  readonly #request: ObservedRequest;
  readonly #facts: RequestFacts;
  readonly #traced: TracedRequest | undefined;
  readonly #beganAt = performance.now();
  #startedAt = this.#beganAt;
  #attempts = 0;
  #peer: PeerFacts | undefined;
  #isDivided = false;
  #isOver = false;

  constructor(telemetry: OpenTelemetry, request: ObservedRequest) {
    this.#telemetry = telemetry;
    this.#request = request;
    const { guard, tracing } = telemetry;
    const facts = guard.attempt(() => telemetry.facts.of(request)) ?? factsOfFailed;
    this.#facts = facts;
    this.#traced = tracing && guard.attempt(() => tracing.begin(request, facts.spanName, facts.spanAttributes));
    this.headers = this.#traced?.headers ?? noHeaders;
  }

  get meta(): Operation['meta'] {
    const { tracing } = this.#telemetry;
    return tracing && this.#traced ? tracing.metaOf(this.#traced, this.#request) : this.#request.meta;
  }

  sent(id: string | number | undefined, peer: PeerFacts): void {
    const now = performance.now();
    this.#attempts += 1;
    this.#peer = peer;
    this.#startedAt = now;
    this.#onSpan((span) => {
      if (!span.isRecording()) return;
      span.setAttributes(peerAttributes(peer).span);
      if (id !== undefined) span.setAttribute('jsonrpc.request.id', typeof id === 'number' ? `${id}` : shortText(id));
      if (this.#attempts > 1) span.setAttribute('mcpx.request.attempts', this.#attempts);
      else if (this.#request.kind === 'client') span.setAttribute('mcpx.request.wait', (now - this.#beganAt) / 1_000);
    });
  }

  divided(): void {
    this.#isDivided = true;
  }

  event(name: string): void {
    this.#onSpan((span) => span.addEvent(name));
  }

  during<Value>(work: () => Value): Value {
    return this.#traced ? this.#traced.during(work) : work();
  }

  end(outcome: OperationOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { guard } = this.#telemetry;
    const failure = guard.attempt(() => outcomeAttributes(outcome)) ?? { 'error.type': OTHER };
    // Failures alone say nothing about a name: clients cancel requests for tools that exist nowhere.
    guard.attempt(() => this.#measure(outcome, failure));
    this.#onSpan((span) => {
      if (failure['error.type'] === undefined || !span.isRecording()) return;
      span.setAttributes(failure);
      span.setStatus({ code: ERROR });
      if (this.#isMadeUp(failure)) span.updateName(this.#facts.method);
    });
    this.#onSpan((span) => span.end());
  }

  #isMadeUp({ 'error.type': type }: Attributes): boolean {
    const { target } = this.#facts;
    if (target === undefined || target.key === 'mcp.resource.uri' || !unknownNames.has(String(type))) return false;
    return !this.#telemetry.facts.isReal(target.key, target.name);
  }

  #onSpan(work: (span: Span) => void): void {
    const { span } = this.#traced ?? {};
    if (span !== undefined) this.#telemetry.guard.attempt(() => work(span));
  }

  #measure(outcome: OperationOutcome, failure: Attributes): void {
    const { kind, method } = this.#request;
    const hasResult = 'result' in outcome;
    if (!this.#isDivided) this.#record(failure, { hasResult });
    if (!hasResult) return;
    this.#telemetry.facts.readList(method, outcome.result);
    if (kind === 'server' && method === 'tools/list') this.#recordList(outcome.result);
  }

  #record(failure: Attributes, { hasResult }: { readonly hasResult: boolean }): void {
    const { instruments, errors, labels } = this.#telemetry;
    const { method, target } = this.#facts;
    const { kind, server } = this.#request;
    const peer = this.#peer === undefined ? unsent(server) : peerAttributes(this.#peer).shared;
    const named =
      target === undefined || target.key === 'mcp.resource.uri'
        ? undefined
        : { key: target.key, name: this.#label(target.key, target.name, hasResult) };
    const known = labels.of(peer, method, named);
    const attributes = failure['error.type'] === undefined ? known : { ...known, ...bounded(failure, errors) };
    instruments[kind].operation.record(secondsSince(this.#startedAt), attributes, this.#traced?.context);
  }

  #label(key: NameKey, name: string, hasResult: boolean): string {
    const { facts } = this.#telemetry;
    return facts.names[key].bounded(name, { isReal: hasResult || facts.isReal(key, name) });
  }

  #recordList({ tools }: Readonly<Record<string, unknown>>): void {
    if (!Array.isArray(tools)) return;
    this.#telemetry.instruments.listedTokens.record(
      Math.round(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN),
      {},
    );
  }
}

const CHARACTERS_PER_TOKEN = 4;

/** Failures that clients cause with names that exist nowhere. */
const unknownNames: ReadonlySet<string> = new Set([
  '-32601',
  '-32602',
  '-32002',
  'unknown-tool',
  'unknown-server',
  'cancelled',
]);

function unsent(server: string | undefined): Attributes {
  return server === undefined ? {} : { 'mcpx.server': server };
}

function bounded(failure: Attributes, errors: KnownValues): Attributes {
  const type = failure['error.type'];
  return type === undefined || errors.bounded(String(type)) === type ? failure : { 'error.type': OTHER };
}

function secondsSince(timeMs: number): number {
  return (performance.now() - timeMs) / 1_000;
}

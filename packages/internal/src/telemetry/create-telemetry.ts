import type { Attributes, Context, Link, Span, Tracer } from '@opentelemetry/api';
import type {
  ObservedRequest,
  ObservedServer,
  Operation,
  OperationOutcome,
  PeerFacts,
  Telemetry,
} from '../contracts/telemetry.js';
import { isRecord } from '../json/json-values.js';
import { errorAttributes, outcomeAttributes, peerAttributes, shortText, targetOf } from './attributes.js';
import { createInstruments, type Instruments, observeServers } from './instruments.js';
import { KnownValues, methods } from './known-values.js';
import type { OpenTelemetryApi } from './open-telemetry-api.js';

const SCOPE = '@x/mcp';
const kinds = { server: 1, client: 2 } as const; // of SpanKind
const ERROR = 2; // of SpanStatusCode
/** Distinct names of tools, and of prompts, in the metrics of one telemetry. */
const MAX_NAMES = 1_000;

/**
 * Creates what the option `telemetry` takes: spans and metrics by the OpenTelemetry conventions for MCP, from the app's
 * own OpenTelemetry. Contains no arguments, results and error messages.
 *
 * @param api - `import * as api from '@opentelemetry/api'`. Any part may be replaced, such as `metrics` by a `MeterProvider`.
 * @throws {TypeError} A part of the API is missing.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export function createTelemetry(api: OpenTelemetryApi): Telemetry {
  const { context, trace, propagation, metrics } = Object(api) as OpenTelemetryApi;
  const needed: readonly unknown[] = [context?.active, trace?.getTracer, propagation?.inject, metrics?.getMeter];
  if (needed.includes(undefined))
    throw new TypeError('createTelemetry() takes the API: import * as api from "@opentelemetry/api"');
  return new OpenTelemetry({ context, trace, propagation, metrics });
}

class OpenTelemetry implements Telemetry {
  readonly api: OpenTelemetryApi;
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  readonly methods = new KnownValues(methods.length, methods);
  readonly names = {
    'gen_ai.tool.name': new KnownValues(MAX_NAMES),
    'gen_ai.prompt.name': new KnownValues(MAX_NAMES),
  };

  constructor(api: OpenTelemetryApi) {
    this.api = api;
    this.tracer = api.trace.getTracer(SCOPE);
    this.instruments = createInstruments(api.metrics.getMeter(SCOPE));
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
      const { shared } = peerAttributes(peer);
      const attributes =
        error === undefined ? shared : { ...shared, 'error.type': errorAttributes(error)['error.type'] };
      this.instruments[kind].session.record(secondsSince(startedAt), attributes);
    };
  }

  observeServers(read: () => readonly ObservedServer[]): Disposable {
    return observeServers(this.api.metrics.getMeter(SCOPE), read);
  }
}

class RequestSpan implements Operation {
  readonly headers: Record<string, string> = {};
  readonly #telemetry: OpenTelemetry;
  readonly #request: ObservedRequest;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #method: string;
  readonly #context: Context;
  readonly #span: Span;
  readonly #beganAt = performance.now();
  #startedAt = this.#beganAt;
  #attempts = 0;
  #shared: Attributes;
  #isDivided = false;
  #isOver = false;

  constructor(telemetry: OpenTelemetry, request: ObservedRequest) {
    const { api, tracer } = telemetry;
    const { kind, method, server } = request;
    this.#telemetry = telemetry;
    this.#request = request;
    this.#target = targetOf(request);
    this.#method = telemetry.methods.bounded(method);
    this.#shared = server === undefined ? {} : { 'mcpx.server': server };
    const { parent, links } = parentOf(api, request);
    const attributes: Attributes = { 'mcp.method.name': shortText(method), ...this.#shared };
    if (this.#target) attributes[this.#target.key] = this.#target.name;
    if (method === 'tools/call') attributes['gen_ai.operation.name'] = 'execute_tool';
    this.#span = tracer.startSpan(this.#name, { kind: kinds[kind], attributes, links }, parent);
    this.#context = api.trace.setSpan(parent, this.#span);
    api.propagation.inject(this.#context, this.headers);
  }

  get #name(): string {
    const { key, name } = this.#target ?? {};
    return key === undefined || key === 'mcp.resource.uri' ? this.#method : `${this.#method} ${name}`;
  }

  get meta(): Operation['meta'] {
    const { meta } = this.#request;
    if (Object.keys(this.headers).length === 0) return meta;
    const { tracestate: _parents, ...others } = meta ?? {};
    return { ...others, ...this.headers };
  }

  sent(id: string | number | undefined, peer: PeerFacts): void {
    const now = performance.now();
    const { shared, span } = peerAttributes(peer);
    this.#attempts += 1;
    this.#shared = { ...this.#shared, ...shared };
    if (this.#span.isRecording()) {
      this.#span.setAttributes(span);
      if (id !== undefined) this.#span.setAttribute('jsonrpc.request.id', shortText(String(id)));
      if (this.#attempts > 1) this.#span.setAttribute('mcpx.request.attempts', this.#attempts);
      else if (this.#request.kind === 'client')
        this.#span.setAttribute('mcpx.request.wait', (now - this.#beganAt) / 1_000);
    }
    this.#startedAt = now;
  }

  divided(): void {
    this.#isDivided = true;
  }

  event(name: string): void {
    this.#span.addEvent(name);
  }

  during<Value>(work: () => Value): Value {
    return this.#telemetry.api.context.with(this.#context, work);
  }

  end(outcome: OperationOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const failure = outcomeAttributes(outcome);
    const isUnknown = unknownNames.has(String(failure['error.type']));
    const { kind, method } = this.#request;
    if (!this.#isDivided) {
      this.#telemetry.instruments[kind].operation.record(
        secondsSince(this.#startedAt),
        { ...this.#shared, ...this.#labels({ isReal: !isUnknown }), ...failure },
        this.#context,
      );
    }
    if (kind === 'server' && method === 'tools/list' && 'result' in outcome) this.#recordList(outcome.result);
    if (failure['error.type'] !== undefined && this.#span.isRecording()) {
      this.#span.setAttributes(failure);
      this.#span.setStatus({ code: ERROR });
      if (isUnknown) this.#span.updateName(this.#method);
    }
    this.#span.end();
  }

  #labels(how: { readonly isReal: boolean }): Attributes {
    const labels: Attributes = { 'mcp.method.name': this.#method };
    const { key, name } = this.#target ?? {};
    if (key !== undefined && key !== 'mcp.resource.uri') {
      labels[key] = this.#telemetry.names[key].bounded(String(name), how);
    }
    if (this.#method === 'tools/call') labels['gen_ai.operation.name'] = 'execute_tool';
    return labels;
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

/** Failures that a wrong name may cause: such a name may exist nowhere. */
const unknownNames: ReadonlySet<string> = new Set(['-32601', '-32602', '-32002', 'unknown-tool', 'unknown-server']);

function allMeta({ params, meta }: ObservedRequest): ObservedRequest['meta'] {
  const { _meta: sent } = params;
  return isRecord(sent) ? { ...sent, ...meta } : meta;
}

/** The context of `_meta`, else that of the HTTP headers, else the active one. Links the others that a server span has. */
function parentOf(
  { context, trace, propagation }: OpenTelemetryApi,
  request: ObservedRequest,
): { readonly parent: Context; readonly links: Link[] } {
  const { kind, header } = request;
  const meta = allMeta(request);
  const active = context.active();
  const contexts = [active];
  if (header !== undefined) contexts.unshift(propagation.extract(active, header, { get: headerOf, keys: () => [] }));
  if (meta !== undefined) contexts.unshift(propagation.extract(active, meta, { get: textOf, keys: Object.keys }));
  const [parent = active] = contexts.filter((each) => each !== active);
  if (kind === 'client') return { parent, links: [] };
  const spans = contexts.flatMap((each) => trace.getSpanContext(each) ?? []);
  const own = trace.getSpanContext(parent)?.spanId;
  const others = new Map(spans.filter(({ spanId }) => spanId !== own).map((each) => [each.spanId, each]));
  return { parent, links: Array.from(others.values(), (spanContext) => ({ context: spanContext })) };
}

function headerOf(header: NonNullable<ObservedRequest['header']>, name: string): string | undefined {
  return header(name) ?? undefined;
}

function textOf(meta: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(meta, name) ? meta[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function secondsSince(timeMs: number): number {
  return (performance.now() - timeMs) / 1_000;
}

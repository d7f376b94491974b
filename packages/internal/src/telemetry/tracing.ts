import type { Attributes, Context, Link, Span, TextMapGetter, Tracer } from '@opentelemetry/api';
import type { ObservedRequest } from '../contracts/telemetry.js';
import { isRecord } from '../json/json-values.js';
import type { Guard } from './guard.js';
import type { TracingApi } from './open-telemetry-api.js';

const kinds = { server: 1, client: 2 } as const; // of SpanKind

/** Without entries. */
export const noHeaders: Readonly<Record<string, string>> = {};

/** Spans of requests, below the span that the request names. */
export class Tracing {
  readonly #api: TracingApi;
  readonly #tracer: Tracer;
  readonly #guard: Guard;

  constructor(api: TracingApi, scope: string, guard: Guard) {
    this.#api = api;
    this.#guard = guard;
    this.#tracer = api.trace.getTracer(scope);
  }

  begin(request: ObservedRequest, name: string, attributes: Attributes): TracedRequest {
    const active = this.#api.context.active();
    const above = this.#above(request, active);
    const { parent, links } = above ? { parent: above.context } : parentOf(this.#api, request, active, this.#guard);
    const kind = kinds[request.kind];
    const span = this.#tracer.startSpan(name, links ? { kind, attributes, links } : { kind, attributes }, parent);
    if (above !== undefined && span === above.span) return above;
    return new TracedRequest(this.#api, { span, parent, active }, this.#guard);
  }

  /** The `_meta` with which `traced` goes on: `meta` with its headers in place of those of its parent. */
  metaOf(traced: TracedRequest, { kind, meta }: ObservedRequest): ObservedRequest['meta'] {
    const { headers } = traced;
    if (headers === noHeaders) return meta;
    if (meta === undefined) return headers;
    const above = PassedMeta.tracedOf(meta);
    if (above === traced) return meta;
    if (meta === above?.headers) return headers;
    const { tracestate: _parents, ...others } = meta;
    return Object.assign(kind === 'server' ? new PassedMeta(traced) : {}, others, headers);
  }

  /** The request of this process whose part `request` is, unless its context has changed since. */
  #above({ kind, meta }: ObservedRequest, active: Context): TracedRequest | undefined {
    const above = kind === 'client' && meta !== undefined ? PassedMeta.tracedOf(meta) : undefined;
    return above !== undefined && (active === above.context || active === above.active) ? above : undefined;
  }
}

interface BegunSpan {
  readonly span: Span;
  readonly parent: Context;
  /** The context in which the request began. */
  readonly active: Context;
}

/** One span and what passes it on. */
export class TracedRequest {
  readonly span: Span;
  readonly context: Context;
  readonly active: Context;
  /** Also of a span that is not sampled, so that others leave the trace out too. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #api: TracingApi;
  readonly #guard: Guard;

  constructor(api: TracingApi, { span, parent, active }: BegunSpan, guard: Guard) {
    this.#api = api;
    this.#guard = guard;
    this.span = span;
    this.active = active;
    this.context = api.trace.setSpan(parent, span);
    this.headers = guard.attempt(() => this.#injected()) ?? noHeaders;
  }

  during<Value>(work: () => Value): Value {
    return this.#guard.around(work, (guarded) => this.#api.context.with(this.context, guarded));
  }

  #injected(): Readonly<Record<string, string>> {
    const carrier = new PassedMeta(this);
    this.#api.propagation.inject(this.context, carrier);
    for (const _ in carrier) return carrier;
    return noHeaders;
  }
}

/** `_meta` that a request of this process passes on. To parse it again would cost as much as a span. */
class PassedMeta {
  [header: string]: string;
  readonly #traced: TracedRequest;

  constructor(traced: TracedRequest) {
    this.#traced = traced;
  }

  static tracedOf(meta: object): TracedRequest | undefined {
    return #traced in meta ? meta.#traced : undefined;
  }
}

interface Parent {
  readonly parent: Context;
  readonly links?: Link[] | undefined;
}

/**
 * The context of `_meta`, else that of the HTTP headers, else the active one. Links the others that a server span has.
 * Propagators throw at some values, which clients choose: such a context is left out.
 */
function parentOf({ trace, propagation }: TracingApi, request: ObservedRequest, active: Context, guard: Guard): Parent {
  const { kind, header } = request;
  const meta = allMeta(request);
  const contexts = [active];
  if (meta === undefined && header === undefined) return { parent: active };
  const extracted = <Carrier>(carrier: Carrier, getter: TextMapGetter<Carrier>): void => {
    contexts.unshift(guard.attempt(() => propagation.extract(active, carrier, getter)) ?? active);
  };
  if (header !== undefined) extracted(header, headerGetter);
  if (meta !== undefined) extracted(meta, metaGetter);
  const [parent = active] = contexts.filter((each) => each !== active);
  if (kind === 'client') return { parent };
  const spans = contexts.flatMap((each) => trace.getSpanContext(each) ?? []);
  const own = trace.getSpanContext(parent)?.spanId;
  const others = new Map(spans.filter(({ spanId }) => spanId !== own).map((each) => [each.spanId, each]));
  return { parent, links: Array.from(others.values(), (spanContext) => ({ context: spanContext })) };
}

function allMeta({ params, meta }: ObservedRequest): ObservedRequest['meta'] {
  const { _meta: sent } = params;
  return isRecord(sent) && sent !== meta ? { ...sent, ...meta } : meta;
}

const headerGetter: TextMapGetter<NonNullable<ObservedRequest['header']>> = {
  get: (header, name) => header(name) ?? undefined,
  keys: () => [],
};

const metaGetter: TextMapGetter<Readonly<Record<string, unknown>>> = {
  get: (meta, name) => {
    const value = Object.hasOwn(meta, name) ? meta[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  },
  keys: Object.keys,
};

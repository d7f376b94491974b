import type { Attributes, Context, Link, Span, TextMapGetter, Tracer } from '@opentelemetry/api';
import type { ObservedRequest } from '../contracts/telemetry.js';
import { isRecord } from '../json/json-values.js';
import type { Guard } from './guard.js';
import type { TracingApi } from './open-telemetry-api.js';

const kinds = { server: 1, client: 2 } as const; // of SpanKind

/** One span and what passes it on. */
export interface TracedRequest {
  readonly span: Span;
  readonly context: Context;
  readonly headers: Readonly<Record<string, string>>;
  during<Value>(work: () => Value): Value;
}

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
    const { trace, propagation, context: contexts } = this.#api;
    const { parent, links } = parentOf(this.#api, request, this.#guard);
    const span = this.#tracer.startSpan(name, { kind: kinds[request.kind], attributes, links }, parent);
    const context = trace.setSpan(parent, span);
    const headers = this.#guard.attempt(() => {
      const carrier: Record<string, string> = {};
      propagation.inject(context, carrier);
      return carrier;
    });
    const during: TracedRequest['during'] = (work) =>
      this.#guard.around(work, (guarded) => contexts.with(context, guarded));
    return { span, context, headers: headers ?? {}, during };
  }
}

function allMeta({ params, meta }: ObservedRequest): ObservedRequest['meta'] {
  const { _meta: sent } = params;
  return isRecord(sent) ? { ...sent, ...meta } : meta;
}

/**
 * The context of `_meta`, else that of the HTTP headers, else the active one. Links the others that a server span has.
 * Propagators throw at some values, which clients choose: such a context is left out.
 */
function parentOf(
  { context, trace, propagation }: TracingApi,
  request: ObservedRequest,
  guard: Guard,
): { readonly parent: Context; readonly links: Link[] } {
  const { kind, header } = request;
  const meta = allMeta(request);
  const active = context.active();
  const contexts = [active];
  const extracted = <Carrier>(carrier: Carrier, getter: TextMapGetter<Carrier>): void => {
    contexts.unshift(guard.attempt(() => propagation.extract(active, carrier, getter)) ?? active);
  };
  if (header !== undefined) extracted(header, { get: headerOf, keys: () => [] });
  if (meta !== undefined) extracted(meta, { get: textOf, keys: Object.keys });
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

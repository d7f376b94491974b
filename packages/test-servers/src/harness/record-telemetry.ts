import {
  type Attributes,
  type ContextAPI,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type PropagationAPI,
  ROOT_CONTEXT,
  type TextMapGetter,
  type TraceAPI,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Values of one metric by its attributes. A histogram's value is its count. */
export interface RecordedPoint {
  readonly attributes: Attributes;
  readonly value: number;
  /** Bucket boundaries of a histogram. */
  readonly boundaries?: readonly number[];
}

/** The parts of the API that `createTelemetry` takes. */
export interface RecordedApi {
  readonly context: Pick<ContextAPI, 'active' | 'with'>;
  readonly trace: Pick<TraceAPI, 'getTracer' | 'setSpan' | 'getSpanContext'>;
  readonly propagation: Pick<PropagationAPI, 'inject' | 'extract'>;
  readonly metrics: MeterProvider;
}

/** OpenTelemetry in memory, without global state. */
export function recordTelemetry() {
  const exporter = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new OnDemandReader();
  const metrics = new MeterProvider({ readers: [reader] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  const propagator = new CompositePropagator({
    propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
  });
  const api: RecordedApi = {
    context: { active: () => contexts.active(), with: contexts.with.bind(contexts) },
    trace: {
      getTracer: (name) => tracers.getTracer(name),
      setSpan: (context, span) => trace.setSpan(context, span),
      getSpanContext: (context) => trace.getSpanContext(context),
    },
    propagation: {
      inject: (context, carrier, setter) => propagator.inject(context, carrier, setter ?? defaultTextMapSetter),
      extract: (context, carrier, getter) =>
        propagator.extract(context, carrier, getter ?? (defaultTextMapGetter as TextMapGetter<unknown>)),
    },
    metrics,
  };
  return {
    api,
    spans: () => exporter.getFinishedSpans(),
    /** Runs `work` in a span of the app. */
    during: async <Value>(name: string, work: () => Promise<Value>): Promise<Value> => {
      const span = tracers.getTracer('app').startSpan(name);
      try {
        return await contexts.with(trace.setSpan(ROOT_CONTEXT, span), work);
      } finally {
        span.end();
      }
    },
    /** Values of a metric now. */
    points: async (name: string): Promise<readonly RecordedPoint[]> => {
      const { resourceMetrics } = await reader.collect();
      const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
      return all.flatMap((metric) => (metric.descriptor.name === name ? metric.dataPoints.map(pointOf) : []));
    },
  };
}

/** The same API, whose functions named `name` throw. */
export function failingApi({ context, trace, propagation, metrics }: RecordedApi, name: string): RecordedApi {
  return {
    context: failing(context, name),
    trace: failing(trace, name),
    propagation: failing(propagation, name),
    metrics: failing(metrics, name),
  };
}

const makers: readonly unknown[] = ['getTracer', 'getMeter', 'startSpan', 'createHistogram'];

function failing<Part extends object>(part: Part, name: string): Part {
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        if (key === name) throw new Error(`No ${name} today`);
        const made = value.apply(target, given);
        return makers.includes(key) ? failing(made, name) : made;
      };
    },
  });
}

class OnDemandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

interface DataPoint {
  readonly attributes: Attributes;
  readonly value: unknown;
}

function pointOf({ attributes, value }: DataPoint): RecordedPoint {
  if (typeof value === 'number') return { attributes, value };
  const { count, buckets } = value as { count: number; buckets: { boundaries: number[] } };
  return { attributes, value: count, boundaries: buckets.boundaries };
}

// OpenTelemetry as an app sets it up, without its global state and without a network.
import { createRequire } from 'node:module';
import { packagePath } from './own-packages.mjs';

const require = createRequire(packagePath('test-servers', 'index.js'));
export const api = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const { W3CTraceContextPropagator } = require('@opentelemetry/core');
const { MeterProvider, MetricReader } = require('@opentelemetry/sdk-metrics');
const {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} = require('@opentelemetry/sdk-trace-base');

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

/** Drops what it gets, so that the network of an exporter is not measured. */
const exporter = {
  export: (_, done) => done({ code: 0 }),
  shutdown: async () => undefined,
};

const contexts = new AsyncLocalStorageContextManager().enable();
const propagator = new W3CTraceContextPropagator();

/** The meter of OpenTelemetry's SDK. */
export function sdkMetrics() {
  return new MeterProvider({ readers: [new Reader()] });
}

/** Without a context manager, as in `mcpx`. */
export const noContexts = { active: () => api.ROOT_CONTEXT, with: (_, work) => work() };

/** @param ratio - Part of the traces that is sampled. */
export function tracing(ratio) {
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  const spanProcessors = [new BatchSpanProcessor(exporter, { maxQueueSize: 100_000, scheduledDelayMillis: 1_000 })];
  const tracers = new BasicTracerProvider({ sampler, spanProcessors });
  return {
    context: { active: () => contexts.active(), with: contexts.with.bind(contexts) },
    trace: {
      getTracer: (name) => tracers.getTracer(name),
      setSpan: api.trace.setSpan.bind(api.trace),
      getSpanContext: api.trace.getSpanContext.bind(api.trace),
    },
    propagation: {
      inject: (context, carrier) => propagator.inject(context, carrier, api.defaultTextMapSetter),
      extract: (context, carrier, getter = api.defaultTextMapGetter) => propagator.extract(context, carrier, getter),
    },
  };
}

// Promise: telemetry costs few calls a second. Compared with the same manager without it, in the same process.
import { createRequire } from 'node:module';
import { testServer } from '../packages/test-servers/dist/index.js';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { packageEntry, packagePath } from './own-packages.mjs';

const { rounds, calls } = numbersFrom({ rounds: 9, calls: 4_000 });
const require = createRequire(packagePath('test-servers', 'index.js'));
const api = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const { W3CTraceContextPropagator } = require('@opentelemetry/core');
const { MeterProvider, MetricReader } = require('@opentelemetry/sdk-metrics');
const {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} = require('@opentelemetry/sdk-trace-base');
const { createClientManager } = await import(packageEntry('mcp-client-manager'));
const { createTelemetry } = await import(packageEntry('mcp-client-manager', 'telemetry'));

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

/** Drops what it gets, so that the network of an exporter is not measured. */
const exporter = {
  export: (_, done) => done({ code: 0 }),
  shutdown: async () => undefined,
};
/** The context of every call with spans: a longer message, which the server parses. */
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const contexts = new AsyncLocalStorageContextManager().enable();
const propagator = new W3CTraceContextPropagator();

function observed({ ratio }) {
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  const spanProcessors = [new BatchSpanProcessor(exporter, { maxQueueSize: 100_000, scheduledDelayMillis: 1_000 })];
  const tracers = new BasicTracerProvider({ sampler, spanProcessors });
  return createTelemetry({
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
    metrics: new MeterProvider({ readers: [new Reader()] }),
  });
}

const contenders = {
  off: undefined,
  'off, with a traceparent': undefined,
  'metrics alone': createTelemetry({ metrics: new MeterProvider({ readers: [new Reader()] }) }),
  'metrics, 1 of 20 spans': observed({ ratio: 0.05 }),
  'metrics, every span': observed({ ratio: 1 }),
};

const managers = new Map();
for (const [name, telemetry] of Object.entries(contenders)) {
  const manager = createClientManager({ servers: [{ name: 'echo', ...testServer('echo') }] }, { telemetry });
  await manager.server('echo').start();
  managers.set(name, manager);
}

const measurements = {
  'small call, median µs': [oneByOne, 1],
  '64 in flight, calls/s': [atOnce, 0],
};
for (const [title, [measure, digits]] of Object.entries(measurements)) {
  const asked = Object.keys(contenders).map((name) => [
    name,
    () => measure(managers.get(name), name === 'off, with a traceparent' ? { meta: { traceparent } } : {}),
  ]);
  const measured = await interleaved(Object.fromEntries(asked), rounds);
  const off = measured.get('off');
  const rows = Array.from(measured, ([name, results]) => {
    return [name, medianOf(results).toFixed(digits), spreadOf(results, digits), ratioOf(results, off).toFixed(3)];
  });
  printTable(title, [['', 'median', 'middle half', 'ratio to off'], ...rows]);
}
for (const manager of managers.values()) await manager.close();
printConditions({
  how: [`${rounds} interleaved rounds`, `${calls} calls each`, 'a batch processor whose exporter drops its spans'],
});

async function oneByOne(manager, options) {
  const times = [];
  for (let call = 0; call < calls / 4; call++) {
    const startedAt = performance.now();
    await manager.callTool('echo', 'echo', { text: 'hello' }, options);
    times.push((performance.now() - startedAt) * 1_000);
  }
  return medianOf(times);
}

async function atOnce(manager, options) {
  let left = calls;
  const startedAt = performance.now();
  const lane = async () => {
    while (left-- > 0) await manager.callTool('echo', 'echo', { text: 'hello' }, options);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  return (calls / (performance.now() - startedAt)) * 1_000;
}

// What telemetry costs a call by itself, without a server: OpenTelemetry's SDK alone, and `createTelemetry` over it.
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { packageEntry } from './own-packages.mjs';
import { noContexts, sdkMetrics, tracing } from './telemetry-apis.mjs';

const { rounds, calls } = numbersFrom({ rounds: 9, calls: 20_000 });
const { createMetricProducer, createTelemetry } = await import(packageEntry('mcp-client-manager', 'telemetry'));

const SERVER = 1;
const CLIENT = 2;
const result = { content: [] };
const params = { name: 'echo', arguments: { message: 'hello' } };
const peer = { transport: 'stdio', protocolVersion: '2025-11-25', server: 'echo' };
const labels = {
  'mcp.protocol.version': '2025-11-25',
  'network.transport': 'pipe',
  'mcpx.server': 'echo',
  'mcp.method.name': 'tools/call',
  'gen_ai.tool.name': 'echo',
  'gen_ai.operation.name': 'execute_tool',
};
/** Without tracing, `createTelemetry` has these for metrics. */
const noMetrics = { getMeter: () => ({ createHistogram: () => ({ record() {} }) }) };

/** The least that an app writes for the same span: the same attributes, passed on. */
function sdkSpan({ context, trace, propagation }) {
  const tracer = trace.getTracer('bench');
  return (id) => {
    const parent = context.active();
    const span = tracer.startSpan('tools/call echo', { kind: CLIENT, attributes: labels }, parent);
    const carrier = {};
    propagation.inject(trace.setSpan(parent, span), carrier);
    if (span.isRecording()) {
      span.setAttribute('jsonrpc.request.id', String(id));
      span.setAttribute('mcpx.request.wait', id / 1_000);
    }
    span.end();
    return carrier;
  };
}

/** The server span and the client span of a call through a gateway, with the SDK alone: one context in memory. */
function sdkPair({ context, trace, propagation }) {
  const tracer = trace.getTracer('bench');
  return () => {
    const active = context.active();
    const server = tracer.startSpan('tools/call echo', { kind: SERVER, attributes: labels }, active);
    const within = trace.setSpan(active, server);
    const client = tracer.startSpan('tools/call echo', { kind: CLIENT, attributes: labels }, within);
    const carrier = {};
    propagation.inject(trace.setSpan(within, client), carrier);
    client.end();
    server.end();
    return carrier;
  };
}

function sdkMetric(metrics) {
  const histogram = metrics.getMeter('bench').createHistogram('duration', { unit: 's' });
  return (id) => histogram.record(id / 1_000, labels);
}

/** What the manager does with it for each call. */
function own(given) {
  const telemetry = createTelemetry(given);
  return (id) => {
    const operation = telemetry.begin({
      kind: 'client',
      method: 'tools/call',
      params,
      meta: undefined,
      server: 'echo',
    });
    const { meta } = operation;
    operation.sent(id, peer);
    operation.end({ result });
    return meta;
  };
}

/** What the gateway and its manager do with it for each call. */
function ownPair(given) {
  const telemetry = createTelemetry(given);
  return (id) => {
    const server = telemetry.begin({ kind: 'server', method: 'tools/call', params });
    server.sent(id, peer);
    const { meta } = server;
    const passed = server.during(() => {
      const client = telemetry.begin({ kind: 'client', method: 'tools/call', params, meta, server: 'echo' });
      const { meta: sent } = client;
      client.sent(id, peer);
      client.end({ result });
      return sent;
    });
    server.end({ result });
    return passed;
  };
}

const pair = (ratio) => ({ ...tracing(ratio), context: noContexts });

const contenders = {
  'SDK: span': sdkSpan(tracing(1)),
  'ours: span': own({ ...tracing(1), metrics: noMetrics }),
  'SDK: span that is not sampled': sdkSpan(tracing(0)),
  'ours: span that is not sampled': own({ ...tracing(0), metrics: noMetrics }),
  'SDK: both spans of a call': sdkPair(pair(1)),
  'ours: both spans of a call': ownPair({ ...pair(1), metrics: noMetrics }),
  'SDK: both spans, not sampled': sdkPair(pair(0)),
  'ours: both spans, not sampled': ownPair({ ...pair(0), metrics: noMetrics }),
  'SDK: metric': sdkMetric(sdkMetrics()),
  'ours: metric, with the meter of the SDK': own({ metrics: sdkMetrics() }),
  'ours: metric, with the producer': own({ metrics: createMetricProducer() }),
};

const measures = Object.entries(contenders).map(([name, call]) => [name, () => microsecondsOf(call)]);
const measured = await interleaved(Object.fromEntries(measures), rounds);
const span = measured.get('SDK: span');
const rows = Array.from(measured, ([name, results]) => [
  name,
  medianOf(results).toFixed(2),
  spreadOf(results, 2),
  ratioOf(results, span).toFixed(2),
]);
printTable('one call, µs', [['', 'median', 'middle half', 'ratio to a span of the SDK'], ...rows]);
printConditions({ how: [`${rounds} interleaved rounds`, `${calls} calls each`] });

/** Yields between, as calls do, so that the batch processor can drop its spans. */
async function microsecondsOf(call) {
  let spent = 0;
  const step = 100;
  for (let done = 0; done < calls; done += step) {
    const startedAt = performance.now();
    for (let id = done; id < done + step; id++) call(id);
    spent += performance.now() - startedAt;
    await new Promise(setImmediate);
  }
  return (spent / calls) * 1_000;
}

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { openTelemetry } from '../../src/telemetry/open-telemetry.js';
import { connectHttp } from '../helpers/http-client.js';
import { type ExportedAttribute, receiveOtlp } from '../helpers/otlp-receiver.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { startMcpx, startServing, startServingProcess } from '../helpers/serving.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const files = { 'mcp_servers.yaml': serversFile([{ name: 'up', server: 'reports-trace' }]) };
const scrapeToken = 'the-token-of-the-scraper';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function serveMetrics(folder: string, ...args: string[]) {
  await writeFile(join(folder, 'scrape.token'), `${scrapeToken}\n`, { mode: 0o600 });
  const serving = await startServing(folder, ['--metrics-token-file', 'scrape.token', ...args]);
  return { serving, metrics: new URL('/metrics', serving.url) };
}

async function statusOf(url: URL, headers: Record<string, string>, method = 'GET'): Promise<number | undefined> {
  const sent = request(url, { method, headers, agent: false }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'close');
  return response.statusCode;
}

describe('--metrics-token-file', () => {
  test('serves durations, states and sizes for Prometheus', async () => {
    await using here = await project(files);
    const { serving, metrics } = await serveMetrics(here.folder);
    await using _ = serving;
    await using connected = await connectHttp(serving.url, { token: await serving.token() });
    await connected.client.listTools();
    await connected.client.callTool({ name: 'mcp__up__fail', arguments: {} });

    const response = await fetch(metrics, { headers: bearer(scrapeToken) });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('# TYPE mcp_server_operation_duration_seconds histogram\n');
    expect(text).toMatch(/^mcp_client_operation_duration_seconds_count\{[^}]*error_type="tool_error"[^}]*\} 1$/m);
    expect(text).toContain('mcpx_server_state{mcpx_server="up",mcpx_server_state="running"} 1\n');
    expect(text).toContain('mcpx_server_restarts_total{mcpx_server="up"} 0\n');
    expect(text).toMatch(/^mcpx_tools_listed_tokens_count 1$/m);
  });

  test('refuses other tokens, the clients of the gateway, other hosts and web pages', async () => {
    await using here = await project(files);
    const { serving, metrics } = await serveMetrics(here.folder);
    await using _ = serving;
    const right = bearer(scrapeToken);
    expect(await statusOf(metrics, {})).toBe(401);
    expect(await statusOf(metrics, bearer(await serving.token()))).toBe(401);
    expect(await statusOf(metrics, { ...right, host: 'example.com' })).toBe(403);
    expect(await statusOf(metrics, { ...right, origin: 'http://localhost' })).toBe(403);
    expect(await statusOf(metrics, right, 'POST')).toBe(405);
    expect(await statusOf(metrics, right)).toBe(200);
  });

  test('allows the hosts of --allowed-host in any case, of one port if they name it', async () => {
    await using here = await project(files);
    const hosts = ['--allowed-host', 'Tools.Example.com', '--allowed-host', 'Other.example.com:8443'];
    const { serving, metrics } = await serveMetrics(here.folder, ...hosts);
    await using _ = serving;
    const statusFor = (host: string) => statusOf(metrics, { ...bearer(scrapeToken), host });
    expect(await statusFor('tools.example.com')).toBe(200);
    expect(await statusFor('TOOLS.example.com:9000')).toBe(200);
    expect(await statusFor('other.example.com:8443')).toBe(200);
    expect(await statusFor('other.example.com')).toBe(403);
  });

  test('is off by default, needs --http, and another path than the endpoint', async () => {
    await using here = await project(files);
    await using serving = await startServing(here.folder);
    expect(await statusOf(new URL('/metrics', serving.url), bearer(scrapeToken))).toBe(404);
    const run = async (...args: string[]) => {
      const { exitCode, stderr } = await runMcpx(['serve', '--own-servers', ...args], { cwd: here.folder });
      expect(exitCode).toBe(exitCodes.usage);
      return stderr;
    };
    expect(await run('--metrics-token-file', 'x')).toContain('--metrics-token-file requires --http.');
    const samePath = ['--http', '--path', '/metrics', '--metrics-token-file', 'x'];
    expect(await run(...samePath)).toContain('--path /metrics is the path of the metrics.');
  });
});

const otlp = {
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '100',
  OTEL_METRIC_EXPORT_TIMEOUT: '100',
};

test.each([
  ['http/protobuf', []],
  ['http/json', ['--metrics-token-file', 'scrape.token']],
])('exports one trace and metrics by OTLP in %s, with the options %j', async (encoding, options) => {
  await using receiver = await receiveOtlp();
  await using here = await project(files);
  await writeFile(join(here.folder, 'scrape.token'), scrapeToken, { mode: 0o600 });
  const env = {
    ...otlp,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: encoding,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  await using serving = await startServingProcess(here.folder, options, env);
  await using connected = await connectHttp(serving.url, { token: await serving.token() });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await connected.client.callTool({ name: 'mcp__up__trace', arguments: {}, _meta });

  const named = (name: string) => {
    expect(receiver.faults).toEqual([]);
    return receiver.spans.find((span) => span.name === name);
  };
  const outer = await until(() => named('tools/call mcp__up__trace'));
  const inner = await until(() => named('tools/call trace'));
  expect([outer.traceId, inner.traceId]).toEqual([traceId, traceId]);
  expect([outer.parentSpanId, inner.parentSpanId]).toEqual(['b7ad6b7169203331', outer.spanId]);
  expect([outer.kind, inner.kind]).toEqual([SERVER, CLIENT]);
  expect(BigInt(outer.endTimeUnixNano) - BigInt(inner.startTimeUnixNano)).toBeGreaterThan(0n);
  expect(textsOf(inner.attributes)).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'trace',
    'gen_ai.operation.name': 'execute_tool',
    'network.transport': 'pipe',
    'mcpx.server': 'up',
  });
  const resource = textsOf(receiver.resources);
  expect(resource).toMatchObject({ 'service.name': 'mcpx', 'deployment.environment.name': 'test' });
  expect(Object.keys(resource).filter((key) => key.startsWith('process.'))).toEqual([]);

  const isCall = ({ attributes }: { attributes: Parameters<typeof textsOf>[0] }) =>
    textsOf(attributes)['gen_ai.tool.name'] === 'trace';
  const metricNamed = (name: string) => {
    expect(receiver.faults).toEqual([]);
    return receiver.metrics().find((metric) => metric.name === name);
  };
  const call = await until(() => metricNamed('mcp.client.operation.duration')?.histogram?.dataPoints.find(isCall));
  expect(call.count).toBe('1');
  expect(metricNamed('mcp.client.operation.duration')?.histogram?.aggregationTemporality).toBe(CUMULATIVE);
  expect(call.bucketCounts).toHaveLength(call.explicitBounds.length + 1);
  const states = metricNamed('mcpx.server.state')?.gauge?.dataPoints ?? [];
  const isRunning = states.filter(({ attributes }) => textsOf(attributes)['mcpx.server.state'] === 'running');
  expect(isRunning.map(({ asDouble, asInt }) => Number(asDouble ?? asInt))).toEqual([1]);
  expect(metricNamed('mcpx.server.restarts')?.sum?.isMonotonic).toBe(true);

  const scraped = await fetch(new URL('/metrics', serving.url), { headers: bearer(scrapeToken) });
  if (options.length === 0) return expect(scraped.status).toBe(404);
  const text = await scraped.text();
  expect(text).toMatch(/^mcp_client_operation_duration_seconds_count\{[^}]*"trace"[^}]*\} 1$/m);
  expect(text).toContain('mcpx_server_state{mcpx_server="up",mcpx_server_state="running"} 1\n');
});

const SERVER = 2;
const CLIENT = 3;
const DELTA = 1;
const CUMULATIVE = 2;

test('exports with the delta temporality what it also serves for Prometheus', async () => {
  await using receiver = await receiveOtlp();
  await using here = await project(files);
  await writeFile(join(here.folder, 'scrape.token'), scrapeToken, { mode: 0o600 });
  await using serving = await startServingProcess(here.folder, ['--metrics-token-file', 'scrape.token'], {
    ...otlp,
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
  });
  await using connected = await connectHttp(serving.url, { token: await serving.token() });
  await connected.client.callTool({ name: 'mcp__up__trace', arguments: {} });
  const exported = await until(() => {
    expect(receiver.faults).toEqual([]);
    return receiver.metrics().find(({ name }) => name === 'mcp.client.operation.duration')?.histogram;
  });
  expect(exported.aggregationTemporality).toBe(DELTA);
  const scraped = await fetch(new URL('/metrics', serving.url), { headers: bearer(scrapeToken) });
  expect(await scraped.text()).toMatch(/^mcp_client_operation_duration_seconds_count\{[^}]*"trace"[^}]*\} 1$/m);
});

function textsOf(attributes: readonly ExportedAttribute[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}

test('a trace that is not sampled has no spans, and passes on that it is not', async () => {
  await using receiver = await receiveOtlp();
  await using here = await project(files);
  await using serving = await startServingProcess(here.folder, [], {
    ...otlp,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  });
  await using connected = await connectHttp(serving.url, { token: await serving.token() });
  const seenWith = async (meta: Record<string, string>) => {
    const result = await connected.client.callTool({ name: 'mcp__up__trace', arguments: {}, _meta: meta });
    return JSON.parse((result.content as readonly { readonly text: string }[])[0]?.text ?? '');
  };
  const [first, second] = [await seenWith({}), await seenWith({ baggage: 'user=ada' })];
  expect(first.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(second).toMatchObject({ traceparent: expect.stringMatching(/-00$/), baggage: 'user=ada' });
  expect(second.traceparent).not.toBe(first.traceparent);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const below = await seenWith({ traceparent: `00-${traceId}-b7ad6b7169203331-00`, tracestate: 'vendor=1' });
  expect(below).toMatchObject({ traceparent: expect.stringContaining(`00-${traceId}-`), tracestate: 'vendor=1' });
  expect(below.traceparent).toMatch(/-00$/);
  await seenWith({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  const spans = await until(() => (receiver.spans.length >= 2 ? receiver.spans : undefined));
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(spans.map(({ name }) => name).sort()).toEqual(['tools/call mcp__up__trace', 'tools/call trace']);
});

test('samples a part of the traces that begin here, whole', async () => {
  await using receiver = await receiveOtlp();
  await using here = await project(files);
  await using serving = await startServingProcess(here.folder, [], {
    ...otlp,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  await using connected = await connectHttp(serving.url, { token: await serving.token() });
  const passedOn: string[] = [];
  for (let call = 0; call < 64; call++) {
    const result = await connected.client.callTool({ name: 'mcp__up__trace', arguments: {} });
    passedOn.push(JSON.parse((result.content as readonly { readonly text: string }[])[0]?.text ?? '').traceparent);
  }
  const idsWith = (flags: string) => passedOn.filter((each) => each.endsWith(flags)).map((each) => each.split('-')[1]);
  const [sampled, leftOut] = [idsWith('-01'), idsWith('-00')];
  expect(sampled.length + leftOut.length).toBe(passedOn.length);
  expect(sampled.length).toBeGreaterThan(0);
  expect(new Set(leftOut).size).toBeGreaterThan(1);
  const called = await until(() => {
    expect(receiver.faults).toEqual([]);
    const found = receiver.spans.filter(({ name }) => name.startsWith('tools/call'));
    return found.length >= 2 * sampled.length ? found : undefined;
  });
  const ids = called.map(({ traceId }) => traceId);
  expect(ids.toSorted()).toEqual([...sampled, ...sampled].toSorted());
});

test('over stdio, exporters to the console and the log of the SDK write to stderr', async () => {
  await using here = await project(files);
  await using serving = startMcpx(here.folder, ['serve', '--own-servers'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_TRACES_EXPORTER: 'console',
    OTEL_METRICS_EXPORTER: 'console',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_LOG_LEVEL: 'debug',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const send = (message: object) => serving.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'client', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await serving.seen(/"id":1\b/, 'stdout');
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'mcp__up__trace', arguments: {} } });
  await serving.seen(/"id":2\b/, 'stdout');
  await serving.seen(/name: 'tools\/call mcp__up__trace'/);
  serving.child.stdin?.end();
  const { stdout, stderr } = await serving.ended();
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => '2.0'));
  expect(stderr).toContain('warning: OTEL_TRACES_EXPORTER=console writes to stderr');
  expect(stderr).toContain('warning: OTEL_METRICS_EXPORTER=console writes to stderr');
});

test('warns how to install the SDK when an export is asked for without it, and goes on', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const load = () => Promise.reject(new Error('not found'));
  const lines: string[] = [];
  const warn = (line: string) => void lines.push(line);
  expect(await openTelemetry({ env, hasMetrics: false, consoleTo: process.stderr, warn }, load)).toBeUndefined();
  expect(lines).toEqual([
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, and OpenTelemetry's SDK is not installed beside mcpx, so nothing is exported. " +
      'Install it with "npm install @opentelemetry/sdk-node@0.223 @opentelemetry/api@1.9", or set OTEL_SDK_DISABLED=true.',
  ]);
  const disabled = { ...env, OTEL_SDK_DISABLED: 'true' };
  await using opened = await openTelemetry({ env: disabled, hasMetrics: true, consoleTo: process.stderr, warn }, load);
  expect(opened?.metrics?.text()).toBe('');
  expect(lines).toHaveLength(1);
});

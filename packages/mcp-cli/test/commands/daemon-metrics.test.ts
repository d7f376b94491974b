import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import type { DaemonInfo } from '../../src/control/reports.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { type ExportedAttribute, receiveOtlp } from '../helpers/otlp-receiver.js';
import { faultsOf } from '../helpers/output-schema.js';
import { clientOn, serveOn } from '../helpers/served-client.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const token = 'the-token-of-the-scraper';
const authorization = `Bearer ${token}`;
const asked = ['--metrics-token-file', 'scrape.token', '--metrics-port', '0'];

async function stageWithToken(): Promise<DaemonStage> {
  const stage = await daemonStage();
  await writeFile(join(stage.folder, 'scrape.token'), `${token}\n`, { mode: 0o600 });
  return stage;
}

async function infoOf(stage: DaemonStage): Promise<DaemonInfo> {
  const { stdout } = await onStage(stage, ['daemon', 'status', '--json']);
  expect(faultsOf('daemon status', JSON.parse(stdout)), stdout).toEqual([]);
  return JSON.parse(stdout) as DaemonInfo;
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const [response] = await once(request(url, { headers, agent: false }).end(), 'response');
  response.resume();
  await once(response, 'close');
  return response.statusCode;
}

async function textAt(url: string | undefined): Promise<string> {
  return (await fetch(url ?? '', { headers: { authorization } })).text();
}

test('the daemon serves metrics of all its calls, also after a crash of its worker', async () => {
  await using stage = await stageWithToken();
  const { stdout, stderr, exitCode } = await onStage(stage, ['up', ...asked]);
  expect(exitCode, stderr).toBe(exitCodes.ok);
  const first = await infoOf(stage);
  expect(first.metrics?.tokenFile).toBe(join(stage.folder, 'scrape.token'));
  expect(stdout).toContain(`Metrics are at ${first.metrics?.url}\n`);
  await onStage(stage, ['call', 'echo.echo', 'text=hello']);
  const text = await textAt(first.metrics?.url);
  expect(text).toMatch(/^mcp_client_operation_duration_seconds_count\{[^}]*gen_ai_tool_name="echo"[^}]*\} 1$/m);
  expect(text).toContain('mcpx_server_state{mcpx_server="echo",mcpx_server_state="running"} 1\n');

  process.kill(first.workerPid, 'SIGKILL');
  await until(async () => {
    const { running, workerPid } = { running: true, ...(await infoOf(stage)) };
    return running && workerPid !== undefined && workerPid !== first.workerPid;
  });
  expect(await textAt((await infoOf(stage)).metrics?.url)).toContain('mcpx_server_state{mcpx_server="echo"');
});

test('other tokens, hosts, web pages and paths are refused', async () => {
  await using stage = await stageWithToken();
  await onStage(stage, ['up', ...asked]);
  const url = (await infoOf(stage)).metrics?.url ?? '';
  expect(await statusOf(url, {})).toBe(401);
  expect(await statusOf(url, { authorization, host: 'example.com' })).toBe(403);
  expect(await statusOf(url, { authorization, origin: 'http://localhost' })).toBe(403);
  expect(await statusOf(new URL('/', url).href, { authorization })).toBe(404);
  expect(await statusOf(url, { authorization })).toBe(200);
  expect(await statusOf(url.replace('127.0.0.1', 'localhost'), { authorization })).toBe(200);

  const again = await onStage(stage, ['up', '--metrics-token-file', 'scrape.token', '--metrics-port', '9']);
  expect(again.exitCode).toBe(exitCodes.failed);
  expect(again.stderr).toContain(`The daemon is already running, with metrics at ${url}.`);
  expect((await onStage(stage, ['up', ...asked])).exitCode).toBe(exitCodes.ok);
  expect((await onStage(stage, ['up'])).stdout).toContain(`Metrics are at ${url}\n`);
});

test('a port in use, a missing token and a running daemon without metrics are reported', async () => {
  await using stage = await stageWithToken();
  const up = (...words: string[]) => onStage(stage, ['up', ...words]);
  expect((await up('--metrics-port', '9')).stderr).toContain('--metrics-port requires --metrics-token-file.');
  const missing = await up('--metrics-token-file', 'none.token');
  expect(missing.exitCode).toBe(exitCodes.usage);
  expect(missing.stderr).toContain(join(stage.folder, 'none.token'));

  await using other = await stageWithToken();
  await onStage(other, ['up', ...asked]);
  const { port } = new URL((await infoOf(other)).metrics?.url ?? '');
  const taken = await up('--metrics-token-file', 'scrape.token', '--metrics-port', port);
  expect(taken.stderr).toContain(`Port ${port} of 127.0.0.1 is in use by another program.`);
  expect(taken.stderr).toContain('--metrics-port 0 chooses any free port');
  expect(taken.exitCode).not.toBe(exitCodes.ok);

  expect((await up()).stdout).not.toContain('Metrics');
  expect((await infoOf(stage)).metrics).toBeUndefined();
  expect((await up(...asked)).stderr).toContain('The daemon is already running, without metrics.');
});

const countOfCalls = /^mcp_client_operation_duration_seconds_count\{[^}]*gen_ai_tool_name="echo"[^}]*\} (\d+)$/m;
const scraped = ['--http', '--no-token', '--metrics-token-file', 'scrape.token', '--port'];

async function textOfServed(stage: DaemonStage, work: (text: () => Promise<string>) => Promise<void>): Promise<void> {
  const command = serveOn(stage, [...scraped, '0']);
  const [, url = ''] = await until(() => /Serving \d+ servers? at (\S+)\n/.exec(command.stderr()) ?? undefined);
  await work(() => textAt(new URL('/metrics', url).href));
  command.interrupt();
  expect(await command.ended).toBe(exitCodes.ok);
}

async function failToServe(stage: DaemonStage, port: number): Promise<void> {
  const failed = serveOn(stage, [...scraped, String(port)]);
  expect(await failed.ended).not.toBe(exitCodes.ok);
  expect(failed.stderr()).toContain(`Port ${port} of 127.0.0.1 is in use by another program.`);
}

test('metrics of a daemon are exported also while they are scraped, and after a listener that failed', async () => {
  await using receiver = await receiveOtlp();
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_METRIC_EXPORT_TIMEOUT: '100',
    },
  });
  await writeFile(join(stage.folder, 'scrape.token'), token, { mode: 0o600 });
  await upOn(stage);
  const call = () => onStage(stage, ['call', 'echo.echo', 'text=hello']);
  const exportedCalls = (count: number) =>
    until(() => {
      expect(receiver.faults).toEqual([]);
      const metric = receiver.metrics().find(({ name }) => name === 'mcp.client.operation.duration');
      const isCall = ({ key, value }: ExportedAttribute) => key === 'gen_ai.tool.name' && value.stringValue === 'echo';
      const point = metric?.histogram?.dataPoints.find(({ attributes }) => attributes.some(isCall));
      return Number(point?.count) === count;
    });
  await call();
  await exportedCalls(1);
  await failToServe(stage, Number(new URL(receiver.origin).port));
  await call();
  await exportedCalls(2);
  await textOfServed(stage, async (text) => {
    await call();
    expect(countOfCalls.exec(await text())?.[1]).toBe('3');
    expect(await text()).toContain('mcpx_server_state{mcpx_server="echo",mcpx_server_state="running"} 1\n');
    await exportedCalls(3);
  });
});

test('a client of an attached mcpx serve, the daemon and its server have one trace', async () => {
  await using receiver = await receiveOtlp();
  await using stage = await daemonStage([{ name: 'up', server: 'reports-trace' }], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  });
  await using attached = await clientOn(stage);
  const [traceId, clientSpanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const _meta = { traceparent: `00-${traceId}-${clientSpanId}-01`, baggage: 'user=ada' };
  const called = await attached.client.callTool({ name: 'mcp__up__trace', arguments: {}, _meta });
  const named = (name: string) =>
    until(() => {
      expect(receiver.faults).toEqual([]);
      return receiver.spans.find((span) => span.name === name);
    });
  const server = await named('tools/call mcp__up__trace');
  const client = await named('tools/call trace');
  expect([server.traceId, client.traceId]).toEqual([traceId, traceId]);
  expect([server.parentSpanId, client.parentSpanId]).toEqual([clientSpanId, server.spanId]);
  expect(JSON.parse((called.content as readonly { readonly text: string }[])[0]?.text ?? '')).toEqual({
    traceparent: `00-${traceId}-${client.spanId}-01`,
    baggage: 'user=ada',
  });
});

test('a listener that failed lets the daemon count nothing', async () => {
  await using other = await receiveOtlp();
  await using stage = await stageWithToken();
  await upOn(stage);
  await failToServe(stage, Number(new URL(other.origin).port));
  await onStage(stage, ['call', 'echo.echo', 'text=hello']);
  await textOfServed(stage, async (text) => {
    expect(await text()).not.toMatch(countOfCalls);
    await onStage(stage, ['call', 'echo.echo', 'text=hello']);
    expect(countOfCalls.exec(await text())?.[1]).toBe('1');
  });
});

import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { Writable, type WritableOptions } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createTelemetry, type OpenTelemetryApi } from '@x/mcp-client-manager/telemetry';
import type { Io } from '../command.js';
import { bothMetrics } from './both-metrics.js';
import { exportAsked } from './export-asked.js';
import { PrometheusMetrics } from './prometheus-metrics.js';

/** Spans and metrics of this process. */
export interface CliTelemetry extends AsyncDisposable {
  readonly telemetry: ReturnType<typeof createTelemetry>;
  /** Metrics as text for Prometheus, if they were requested. */
  readonly metrics: PrometheusMetrics | undefined;
  /** Of the SDK, if it exports. */
  readonly api: OpenTelemetryApi | undefined;
}

interface TelemetryOptions {
  readonly env: Io['env'];
  readonly hasMetrics: boolean;
  /** Where consoles of the SDK write if stdout carries the protocol. */
  readonly consoleTo: Io['stderr'] | undefined;
  /** Receives a line without its end if the SDK is not installed. The variables may be set for other programs. */
  readonly warn: (line: string) => void;
}

/**
 * Exports by OTLP what the standard environment variables say, with OpenTelemetry's own SDK. With `hasMetrics`, the
 * same metrics are for Prometheus too.
 *
 * @param load - Loads a package that is installed beside mcpx.
 * @returns `undefined` without metrics and without the SDK.
 */
export async function openTelemetry(
  options: TelemetryOptions,
  load: LoadPackage = loadPackage,
): Promise<CliTelemetry | undefined> {
  const asked = exportAsked(options.env);
  const sdk = asked === undefined ? undefined : await startSdk(asked, options, load);
  const api = sdk?.api;
  const observed = options.hasMetrics
    ? scrapedTelemetry(api)
    : api && { telemetry: createTelemetry(api), metrics: undefined };
  return (
    observed && {
      ...observed,
      api,
      [Symbol.asyncDispose]: async () => sdk?.shutdown().catch(() => undefined), // the collector may be gone
    }
  );
}

/** @param api - Of an SDK that exports. */
export function scrapedTelemetry(api: OpenTelemetryApi | undefined) {
  const metrics = new PrometheusMetrics();
  const to = api === undefined ? metrics.api : bothMetrics(metrics.api, api.metrics);
  return { telemetry: createTelemetry({ ...api, metrics: to }), metrics };
}

type LoadPackage = (name: string) => Promise<{ readonly url: string; readonly exports: unknown }>;

async function startSdk(asked: string, { env, consoleTo, warn }: TelemetryOptions, load: LoadPackage) {
  const restoreConsole = consoleTo && redirectConsole(consoleTo, env, warn);
  const loaded = await load(sdkName).catch(() => undefined);
  if (loaded === undefined) {
    restoreConsole?.();
    warn(
      `${asked} is set, and OpenTelemetry's SDK is not installed beside mcpx, so nothing is exported. ` +
        `Install it with "${installLine}", or set OTEL_SDK_DISABLED=true.`,
    );
    return undefined;
  }
  const { url, exports } = loaded;
  const { NodeSDK, resources } = exports as Sdk;
  const hasTraces = !/\bnone\b/.test(env.OTEL_TRACES_EXPORTER ?? '');
  const sdk = new NodeSDK({
    serviceName: env.OTEL_SERVICE_NAME ?? 'mcpx',
    instrumentations: [],
    // Not the process: its command line may contain secrets.
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    // A context manager slows down every promise of the process on Node 20.
    ...(!hasTraces && { contextManager: null }),
  });
  sdk.start();
  const all = (await import(pathToFileURL(createRequire(url).resolve('@opentelemetry/api')).href)) as OpenTelemetryApi;
  const api: OpenTelemetryApi = hasTraces ? all : { metrics: all.metrics };
  return { api, shutdown: () => sdk.shutdown().finally(restoreConsole) };
}

const exporters = ['OTEL_TRACES_EXPORTER', 'OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER'];

/** The SDK keeps methods of the console that it finds when it loads. Returns what undoes it. */
function redirectConsole(stderr: Io['stderr'], env: Io['env'], warn: TelemetryOptions['warn']): () => void {
  for (const name of exporters.filter((each) => /\bconsole\b/.test(env[each] ?? ''))) {
    warn(`${name}=${env[name]} writes to stderr, because stdout carries the protocol.`);
  }
  const previous = globalThis.console;
  const write: WritableOptions['write'] = (chunk, _, done) => {
    stderr.write(String(chunk));
    done();
  };
  globalThis.console = new Console(new Writable({ write }));
  return () => {
    globalThis.console = previous;
  };
}

const sdkName = '@opentelemetry/sdk-node';

interface Sdk {
  readonly NodeSDK: new (options: object) => { start(): void; shutdown(): Promise<void> };
  readonly resources: { readonly envDetector: unknown; readonly hostDetector: unknown };
}

async function loadPackage(name: string): ReturnType<LoadPackage> {
  return { url: import.meta.resolve(name), exports: await import(name) };
}

/** Runs on every version of Node that mcpx does; later ones need 22.15. */
const installLine = `npm install ${sdkName}@0.223 @opentelemetry/api@1.9`;

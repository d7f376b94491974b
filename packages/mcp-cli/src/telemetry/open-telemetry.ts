import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { Writable, type WritableOptions } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { MetricStore } from '@x/internal/telemetry';
import { createTelemetry, type OpenTelemetryApi, type TracingApi } from '@x/mcp-client-manager/telemetry';
import type { Io } from '../command.js';
import { bothMetrics } from './both-metrics.js';
import { exportAsked } from './export-asked.js';
import { type MetricsSdk, openMetricReader } from './metric-reader.js';
import { PrometheusMetrics } from './prometheus-metrics.js';
import { rootSampling, type SamplingSdk } from './root-sampling.js';
import { type SkippingTrace, skipUnsampled } from './skip-unsampled.js';

/** Spans and metrics of this process. */
export interface CliTelemetry extends AsyncDisposable {
  readonly telemetry: ReturnType<typeof createTelemetry>;
  /** Metrics as text for Prometheus, if they were requested. */
  readonly metrics: PrometheusMetrics | undefined;
  readonly isExporting: boolean;
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
  if (asked === undefined) return options.hasMetrics ? scrapedTelemetry() : undefined;
  const store = new MetricStore();
  const sdk = await startSdk(asked, { ...options, store }, load);
  if (sdk === undefined) return options.hasMetrics ? scrapedTelemetry() : undefined;
  const { tracing, meter } = sdk;
  const exported = meter ?? store;
  const metrics = options.hasMetrics && exported !== store ? bothMetrics(store, exported) : exported;
  return {
    telemetry: createTelemetry({ ...tracing, metrics }),
    metrics: options.hasMetrics ? new PrometheusMetrics(store) : undefined,
    isExporting: true,
    [Symbol.asyncDispose]: async () => sdk.shutdown().catch(() => undefined), // the collector may be gone
  };
}

/** Metrics that are not exported. */
export function scrapedTelemetry() {
  const store = new MetricStore();
  return {
    telemetry: createTelemetry({ metrics: store }),
    metrics: new PrometheusMetrics(store),
    isExporting: false,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

type LoadPackage = (name: string) => Promise<{ readonly url: string; readonly exports: unknown }>;

interface SdkOptions extends TelemetryOptions {
  /** Counts what the SDK exports, unless its own meter has to. */
  readonly store: MetricStore;
}

interface StartedSdk {
  readonly tracing: TracingApi | undefined;
  /** `undefined`: the SDK exports the `store`. */
  readonly meter: OpenTelemetryApi['metrics'] | undefined;
  shutdown(): Promise<void>;
}

async function startSdk(
  asked: string,
  { env, consoleTo, warn, store }: SdkOptions,
  load: LoadPackage,
): Promise<StartedSdk | undefined> {
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
  const { url } = loaded;
  const exports = loaded.exports as Sdk;
  const metricReader = openMetricReader(store, env, { url, exports });
  const roots = rootSampling(env, exports);
  const sdk = new exports.NodeSDK({
    serviceName: env.OTEL_SERVICE_NAME ?? 'mcpx',
    instrumentations: [],
    // Not the process: its command line may contain secrets.
    resourceDetectors: [exports.resources.envDetector, exports.resources.hostDetector],
    // The SDK's own one slows down every promise of the process on Node 20. Requests name their parent in `_meta`.
    contextManager: null,
    ...(roots && { idGenerator: roots.idGenerator }),
    ...(metricReader && { metricReader, metricReaders: [metricReader] }), // by the version of the SDK
  });
  sdk.start();
  const api = (await import(pathToFileURL(createRequire(url).resolve('@opentelemetry/api')).href)) as FullApi;
  const hasTraces = !/\bnone\b/.test(env.OTEL_TRACES_EXPORTER ?? '');
  return {
    tracing: hasTraces ? { ...api, trace: skipUnsampled(api.trace, roots) } : undefined,
    meter: metricReader ? undefined : api.metrics,
    shutdown: () => sdk.shutdown().finally(restoreConsole),
  };
}

interface FullApi extends Required<Omit<OpenTelemetryApi, 'trace'>> {
  readonly trace: SkippingTrace;
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

interface Sdk extends MetricsSdk, SamplingSdk {
  readonly NodeSDK: new (options: object) => { start(): void; shutdown(): Promise<void> };
  readonly resources: { readonly envDetector: unknown; readonly hostDetector: unknown };
}

async function loadPackage(name: string): ReturnType<LoadPackage> {
  return { url: import.meta.resolve(name), exports: await import(name) };
}

/** Runs on every version of Node that mcpx does; later ones need 22.15. */
const installLine = `npm install ${sdkName}@0.223 @opentelemetry/api@1.9`;

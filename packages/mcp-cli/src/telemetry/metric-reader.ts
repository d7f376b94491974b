import { createRequire } from 'node:module';
import { type MetricStore, producerOf } from '@x/internal/telemetry';
import type { Io } from '../command.js';

/** The parts of the SDK that read and export metrics. */
export interface MetricsSdk {
  readonly metrics: { readonly PeriodicExportingMetricReader: new (options: object) => object };
}

const packages: Readonly<Record<string, string>> = {
  'http/protobuf': '@opentelemetry/exporter-metrics-otlp-proto',
  'http/json': '@opentelemetry/exporter-metrics-otlp-http',
  grpc: '@opentelemetry/exporter-metrics-otlp-grpc',
};

/** Settings under which our own sums are the same as those of the SDK. Empty is unset. */
const supported: Readonly<Record<string, string>> = {
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'cumulative',
  OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: 'explicit_bucket_histogram',
};

/**
 * Creates a reader that exports what is counted in `store`: an addition for each request, where the SDK's own meter
 * searches for the attributes.
 *
 * @param sdk - With `url`, since it brings its exporters.
 * @returns `undefined` if the variables ask for what only the SDK's own meter does.
 */
export function openMetricReader(
  store: MetricStore,
  env: Io['env'],
  sdk: { readonly url: string; readonly exports: MetricsSdk },
): object | undefined {
  const isSupported = Object.entries(supported).every(([name, value]) => {
    return (env[name]?.trim().toLowerCase() || value) === value;
  });
  const protocol = (env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL)?.trim();
  const exporterName = packages[protocol || 'http/protobuf'];
  if (!isSupported || exporterName === undefined) return undefined;
  const Exporter = loadExporter(exporterName, sdk.url);
  if (Exporter === undefined) return undefined;
  const exportIntervalMillis = millisecondsOf(env.OTEL_METRIC_EXPORT_INTERVAL) ?? 60_000;
  const timeoutMs = millisecondsOf(env.OTEL_METRIC_EXPORT_TIMEOUT) ?? 30_000;
  return new sdk.exports.metrics.PeriodicExportingMetricReader({
    exporter: new Exporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
    metricProducers: [producerOf(store)],
  });
}

type ExporterClass = new () => object;

function loadExporter(name: string, sdkUrl: string): ExporterClass | undefined {
  try {
    const loaded: { readonly OTLPMetricExporter?: ExporterClass } = createRequire(sdkUrl)(name);
    return loaded.OTLPMetricExporter;
  } catch {
    return undefined; // a version of the SDK with other packages
  }
}

function millisecondsOf(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return value > 0 ? value : undefined;
}

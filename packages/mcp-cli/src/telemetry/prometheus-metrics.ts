import type { HistogramValue, MetricStore, StoredMetric } from '@x/internal/telemetry';

export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

type Attributes = StoredMetric['points'][number]['attributes'];

/**
 * Counted metrics, as text for Prometheus. Names follow OpenTelemetry's rules for Prometheus.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export class PrometheusMetrics {
  readonly #store: MetricStore;

  constructor(store: MetricStore) {
    this.#store = store;
  }

  /** @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
  text(): string {
    return this.#store.read().map(metricText).join('');
  }
}

function metricText(metric: StoredMetric): string {
  const name = prometheusName(metric);
  const help = `# HELP ${name} ${metric.description.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`;
  return `${[help, `# TYPE ${name} ${metric.type}`, ...samplesOf(name, metric)].join('\n')}\n`;
}

function samplesOf(name: string, metric: StoredMetric): readonly string[] {
  if (metric.type !== 'histogram') {
    return metric.points.map(({ attributes, value }) => sample(name, labelsOf(attributes), value));
  }
  const { boundaries, points } = metric;
  return points.flatMap(({ attributes, value }) =>
    histogramSamples(name, labelsOf(attributes), { ...value, boundaries }),
  );
}

function histogramSamples(
  name: string,
  labels: readonly string[],
  { counts, sum, boundaries }: HistogramValue & { readonly boundaries: readonly number[] },
): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return sample(`${name}_bucket`, [...labels, label('le', boundaries[index] ?? '+Inf')], total);
  });
  return [...buckets, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, total)];
}

const units: Readonly<Record<string, string>> = { s: '_seconds' };

function prometheusName({ name, unit, type }: StoredMetric): string {
  return `${plainName(name)}${units[unit] ?? ''}${type === 'counter' ? '_total' : ''}`;
}

function plainName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '_');
}

function labelsOf(attributes: Attributes): readonly string[] {
  return Object.keys(attributes)
    .sort()
    .map((name) => label(name, attributes[name]));
}

function label(name: string, value: unknown): string {
  const text = String(value).replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
  return `${plainName(name)}="${text}"`;
}

function sample(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${value}`;
}

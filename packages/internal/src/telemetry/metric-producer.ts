import type { Attributes, HrTime } from '@opentelemetry/api';
import { MetricStore, type StoredMetric } from './metric-store.js';
import type { UsedMeter } from './open-telemetry-api.js';

/** Counts by itself, and hands the sums to a `MetricReader` of OpenTelemetry's SDK. */
export interface MetricProducer {
  /** `metrics` of `createTelemetry`. */
  getMeter(name: string): UsedMeter;
  /** Called by the reader. Sums count from the start, with any temporality of its exporter. */
  collect(): Promise<ProducedMetrics>;
}

/** A `CollectionResult` of `@opentelemetry/sdk-metrics`. The reader keeps its own resource. */
export interface ProducedMetrics {
  readonly resourceMetrics: { readonly resource: NoResource; readonly scopeMetrics: ProducedScope[] };
  readonly errors: unknown[];
}

interface NoResource {
  readonly attributes: Attributes;
  merge<Other>(other: Other | null): Other | NoResource;
  getRawAttributes(): [];
}

interface ProducedScope {
  readonly scope: { readonly name: string };
  readonly metrics: ProducedMetric[];
}

interface ProducedPoint<Value> {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly attributes: Attributes;
  readonly value: Value;
}

interface ProducedHistogram {
  readonly buckets: { readonly boundaries: number[]; readonly counts: number[] };
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

type ProducedMetric = {
  readonly descriptor: {
    readonly name: string;
    readonly unit: string;
    readonly description: string;
    readonly valueType: typeof DOUBLE;
  };
  readonly aggregationTemporality: typeof CUMULATIVE;
} & (
  | { readonly dataPointType: typeof HISTOGRAM; readonly dataPoints: ProducedPoint<ProducedHistogram>[] }
  | { readonly dataPointType: typeof GAUGE; readonly dataPoints: ProducedPoint<number>[] }
  | { readonly dataPointType: typeof SUM; readonly isMonotonic: true; readonly dataPoints: ProducedPoint<number>[] }
);

// Enumerations of the SDK.
const DOUBLE = 1;
const CUMULATIVE = 1;
const HISTOGRAM = 0;
const GAUGE = 2;
const SUM = 3;

const noResource: NoResource = {
  attributes: {},
  merge: (other) => other ?? noResource,
  getRawAttributes: () => [],
};

/**
 * Creates what makes metrics cheap: a request costs an addition instead of the SDK's search for its attributes. Pass it
 * to `createTelemetry` as `metrics`, and to a reader: `new PeriodicExportingMetricReader({ exporter, metricProducers: [producer] })`.
 */
export function createMetricProducer(): MetricProducer {
  return producerOf(new MetricStore());
}

/** A producer of what is counted in `store` from now on. */
export function producerOf(store: MetricStore): MetricProducer {
  const startTime = timeNow();
  return {
    getMeter: (name) => store.getMeter(name),
    collect: async () => {
      const times = { startTime, endTime: timeNow() };
      const metrics = store.read().map((metric) => produced(metric, times));
      const scopeMetrics = [{ scope: { name: '@x/mcp' }, metrics }];
      return { resourceMetrics: { resource: noResource, scopeMetrics }, errors: [] };
    },
  };
}

function produced(metric: StoredMetric, times: Pick<ProducedPoint<unknown>, 'startTime' | 'endTime'>): ProducedMetric {
  const { name, unit, description } = metric;
  const shared = {
    descriptor: { name, unit, description, valueType: DOUBLE },
    aggregationTemporality: CUMULATIVE,
  } as const;
  if (metric.type === 'histogram') {
    const boundaries = [...metric.boundaries];
    const dataPoints = metric.points.map(({ attributes, value: { counts, sum, min, max } }) => {
      const count = counts.reduce((total, each) => total + each, 0);
      const value = { buckets: { boundaries, counts: [...counts] }, count, sum, min, max };
      return { ...times, attributes, value };
    });
    return { ...shared, dataPointType: HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.points.map((point) => ({ ...times, ...point }));
  if (metric.type === 'gauge') return { ...shared, dataPointType: GAUGE, dataPoints };
  return { ...shared, dataPointType: SUM, isMonotonic: true, dataPoints };
}

function timeNow(): HrTime {
  const now = Date.now();
  return [Math.trunc(now / 1_000), (now % 1_000) * 1_000_000];
}

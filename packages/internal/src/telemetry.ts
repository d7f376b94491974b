export { createTelemetry } from './telemetry/create-telemetry.js';
export type { MetricProducer, ProducedMetrics } from './telemetry/metric-producer.js';
export { createMetricProducer, producerOf } from './telemetry/metric-producer.js';
export type { HistogramValue, StoredMetric } from './telemetry/metric-store.js';
export { MetricStore } from './telemetry/metric-store.js';
export type { OpenTelemetryApi, TracingApi, UsedMeter } from './telemetry/open-telemetry-api.js';

// All exports of "@x/mcp-client-manager/telemetry". A new line here is new public API.
export type { MetricProducer, OpenTelemetryApi, ProducedMetrics, TracingApi, UsedMeter } from '@x/internal/telemetry';
export { createMetricProducer, createTelemetry } from '@x/internal/telemetry';

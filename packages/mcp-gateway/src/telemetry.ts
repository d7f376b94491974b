// The public API of "@x/mcp-gateway/telemetry".
export type { MetricProducer, OpenTelemetryApi, ProducedMetrics, TracingApi, UsedMeter } from '@x/internal/telemetry';
export { createMetricProducer, createTelemetry } from '@x/internal/telemetry';

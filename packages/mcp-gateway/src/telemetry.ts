// The public API of "@x/mcp-gateway/telemetry".
export type { OpenTelemetryApi, TracingApi, UsedMeter } from '@x/internal/telemetry';
export { createTelemetry } from '@x/internal/telemetry';

// All exports of "@x/mcp-client-manager/telemetry". A new line here is new public API.
export type { OpenTelemetryApi, TracingApi, UsedMeter } from '@x/internal/telemetry';
export { createTelemetry } from '@x/internal/telemetry';

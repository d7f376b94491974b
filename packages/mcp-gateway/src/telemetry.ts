// The public API of "@x/mcp-gateway/telemetry".
export type { OpenTelemetryApi } from '@x/internal/telemetry';
export { createTelemetry } from '@x/internal/telemetry';

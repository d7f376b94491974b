export { createTelemetry } from './telemetry/create-telemetry.js';
export type { OpenTelemetryApi, TracingApi, UsedMeter } from './telemetry/open-telemetry-api.js';

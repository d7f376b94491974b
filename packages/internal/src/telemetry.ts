export { createTelemetry } from './telemetry/create-telemetry.js';
export type { OpenTelemetryApi } from './telemetry/open-telemetry-api.js';

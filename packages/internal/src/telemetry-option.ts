/** Checks the option `telemetry`. */
export function telemetryFault(given: unknown): string | undefined {
  return typeof Object(given).begin === 'function' ? undefined : 'what createTelemetry() returned';
}

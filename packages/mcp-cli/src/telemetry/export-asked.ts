import type { Io } from '../command.js';

/** Variables of OpenTelemetry that ask for an export. */
const asking = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
];

/** The variable that asks for an export, unless `OTEL_SDK_DISABLED` is `true`. */
export function exportAsked(env: Io['env']): string | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  return asking.find((name) => (env[name] ?? '') !== '');
}

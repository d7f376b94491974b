import type { ContextAPI, MeterProvider, PropagationAPI, TraceAPI } from '@opentelemetry/api';

/** The parts of `@opentelemetry/api` that are used: `import * as api from '@opentelemetry/api'` has them all. */
export interface OpenTelemetryApi {
  readonly context: Pick<ContextAPI, 'active' | 'with'>;
  readonly trace: Pick<TraceAPI, 'getTracer' | 'setSpan' | 'getSpanContext'>;
  readonly propagation: Pick<PropagationAPI, 'inject' | 'extract'>;
  /** Or a `MeterProvider`. */
  readonly metrics: Pick<MeterProvider, 'getMeter'>;
}

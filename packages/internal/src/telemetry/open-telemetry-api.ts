import type { ContextAPI, Meter, PropagationAPI, TraceAPI } from '@opentelemetry/api';

/** The parts of `@opentelemetry/api` that are used: `import * as api from '@opentelemetry/api'` has them all. */
export interface OpenTelemetryApi extends Partial<TracingApi> {
  /** Or a `MeterProvider`. */
  readonly metrics: { getMeter(name: string): UsedMeter };
}

/** Without these parts there are metrics alone. */
export interface TracingApi {
  readonly context: Pick<ContextAPI, 'active' | 'with'>;
  readonly trace: Pick<TraceAPI, 'getTracer' | 'setSpan' | 'getSpanContext'>;
  readonly propagation: Pick<PropagationAPI, 'inject' | 'extract'>;
}

/** The used part of a `Meter`. */
export type UsedMeter = Pick<
  Meter,
  | 'createHistogram'
  | 'createObservableGauge'
  | 'createObservableCounter'
  | 'addBatchObservableCallback'
  | 'removeBatchObservableCallback'
>;

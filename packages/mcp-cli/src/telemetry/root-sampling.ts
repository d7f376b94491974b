import type { TracingApi } from '@x/mcp-client-manager/telemetry';
import type { Io } from '../command.js';

type Span = ReturnType<ReturnType<TracingApi['trace']['getTracer']>['startSpan']>;
export type SpanContext = ReturnType<Span['spanContext']>;

/** What draws the ids of the SDK's spans. */
interface IdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

interface RatioSampler {
  shouldSample(context: unknown, traceId: string): { readonly decision: number };
}

/** The parts of the SDK that decide. */
export interface SamplingSdk {
  readonly tracing?: {
    readonly TraceIdRatioBasedSampler?: new (ratio: number) => RatioSampler;
    readonly RandomIdGenerator?: new () => IdGenerator;
  };
}

/**
 * Decides about traces that begin here as the SDK's sampler would, before the SDK makes a span: that takes more time
 * than the decision. The SDK gets the id that was drawn, so that it decides the same.
 */
export class RootSampling {
  /** Of the SDK. */
  readonly idGenerator: IdGenerator;
  readonly #sampler: RatioSampler;
  readonly #ids: IdGenerator;
  /** Of the sampled trace whose first span the SDK makes next. */
  #drawn: string | undefined;

  constructor(sampler: RatioSampler, ids: IdGenerator) {
    this.#sampler = sampler;
    this.#ids = ids;
    const generateTraceId = () => {
      const id = this.#drawn ?? ids.generateTraceId();
      this.#drawn = undefined;
      return id;
    };
    this.idGenerator = { generateTraceId, generateSpanId: () => ids.generateSpanId() };
  }

  /** Stands for a span without a parent that is not sampled; `undefined` if it is sampled. */
  leftOut(context: unknown): SpanContext | undefined {
    const traceId = this.#ids.generateTraceId();
    if (this.#sampler.shouldSample(context, traceId).decision === NOT_RECORD) {
      return { traceId, spanId: this.#ids.generateSpanId(), traceFlags: 0 };
    }
    this.#drawn = traceId;
    return undefined;
  }
}

const NOT_RECORD = 0; // of SamplingDecision

/** By the standard variables; `undefined` if another sampler than that of a ratio decides about first spans. */
export function rootSampling(env: Io['env'], { tracing }: SamplingSdk): RootSampling | undefined {
  const { TraceIdRatioBasedSampler: Sampler, RandomIdGenerator: Ids } = tracing ?? {};
  const ratio = ratioOf(env);
  return ratio !== undefined && Sampler && Ids ? new RootSampling(new Sampler(ratio), new Ids()) : undefined;
}

function ratioOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: text }: Io['env']): number | undefined {
  if (name === 'always_off' || name === 'parentbased_always_off') return 0;
  if (name !== 'traceidratio' && name !== 'parentbased_traceidratio') return undefined;
  const ratio = Number(text?.trim() || Number.NaN);
  return ratio >= 0 && ratio <= 1 ? ratio : undefined;
}

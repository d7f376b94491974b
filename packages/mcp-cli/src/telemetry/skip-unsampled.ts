import type { TracingApi } from '@x/mcp-client-manager/telemetry';
import type { RootSampling, SpanContext } from './root-sampling.js';

type Trace = TracingApi['trace'];
type StartSpan = ReturnType<Trace['getTracer']>['startSpan'];
type Span = ReturnType<StartSpan>;

/** The parts of `trace` that are used here. */
export interface SkippingTrace extends Trace {
  getSpan(context: Context): Span | undefined;
  wrapSpanContext(context: SpanContext): Span;
}

/**
 * Lets a span of this process that is not sampled stand for all below it, which saves their making. Right for samplers
 * of the standard variables, which decide by the trace and its parent.
 *
 * @param roots - Decides about spans without a parent, if the SDK need not.
 */
export function skipUnsampled(trace: SkippingTrace, roots: RootSampling | undefined): Trace {
  return {
    getTracer: (name) => {
      const tracer = trace.getTracer(name);
      const startSpan: StartSpan = (spanName, options, context) => {
        const above = context && trace.getSpan(context);
        if (above !== undefined && isUnsampled(above)) return above;
        const leftOut = above === undefined && context !== undefined ? roots?.leftOut(context) : undefined;
        return leftOut ? trace.wrapSpanContext(leftOut) : tracer.startSpan(spanName, options, context);
      };
      return { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) };
    },
    setSpan: trace.setSpan.bind(trace),
    getSpanContext: trace.getSpanContext.bind(trace),
  };
}

type Context = NonNullable<Parameters<StartSpan>[2]>;

function isUnsampled(span: Span): boolean {
  if (span.isRecording()) return false;
  const { traceFlags, isRemote } = span.spanContext();
  return isRemote !== true && (traceFlags & SAMPLED) === 0;
}

const SAMPLED = 1; // of TraceFlags

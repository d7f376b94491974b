import type { TracingApi } from '@x/mcp-client-manager/telemetry';

type Trace = TracingApi['trace'];
type StartSpan = ReturnType<Trace['getTracer']>['startSpan'];
type Span = ReturnType<StartSpan>;

/**
 * Lets a span of this process that is not sampled stand for all below it, which saves their making. Right for samplers
 * of the standard variables, which decide by the trace and its parent.
 */
export function skipUnsampled(trace: Trace & { getSpan(context: Context): Span | undefined }): Trace {
  return {
    getTracer: (name) => {
      const tracer = trace.getTracer(name);
      const startSpan: StartSpan = (spanName, options, context) => {
        const above = context && trace.getSpan(context);
        return above !== undefined && isUnsampled(above) ? above : tracer.startSpan(spanName, options, context);
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

import type { OpenTelemetryApi } from '@x/mcp-client-manager/telemetry';

type MetricsApi = OpenTelemetryApi['metrics'];
type Meter = ReturnType<MetricsApi['getMeter']>;
type Histogram = ReturnType<Meter['createHistogram']>;
type Observe = Parameters<Meter['addBatchObservableCallback']>[0];
type Observable = Parameters<Meter['addBatchObservableCallback']>[1][number];
type Name = Parameters<Meter['createHistogram']>[0];
type Options = Parameters<Meter['createHistogram']>[1];

/** Records each measurement in both, such as one that is scraped and one that is exported. */
export function bothMetrics(first: MetricsApi, second: MetricsApi): MetricsApi {
  return { getMeter: (name) => bothMeters(first.getMeter(name), second.getMeter(name)) };
}

function bothMeters(first: Meter, second: Meter): Meter {
  /** Instruments of the second meter by those of the first, which stand for both. */
  const seconds = new Map<Observable, Observable>();
  /** Callbacks of the second meter by those of the first. */
  const registered = new Map<Observe, Observe>();
  const observable = (ofFirst: Observable, ofSecond: Observable): Observable => {
    seconds.set(ofFirst, ofSecond);
    return ofFirst;
  };
  const inSecond = (observable: Observable) => seconds.get(observable) ?? observable;
  return {
    createHistogram: (name: Name, options?: Options) =>
      bothHistograms(first.createHistogram(name, options), second.createHistogram(name, options)),
    createObservableGauge: (name: Name, options?: Options) =>
      observable(first.createObservableGauge(name, options), second.createObservableGauge(name, options)),
    createObservableCounter: (name: Name, options?: Options) =>
      observable(first.createObservableCounter(name, options), second.createObservableCounter(name, options)),
    addBatchObservableCallback: (observe, observables) => {
      const forSecond: Observe = (result) =>
        observe({ observe: (to, ...measured) => result.observe(inSecond(to), ...measured) });
      registered.set(observe, forSecond);
      first.addBatchObservableCallback(observe, observables);
      second.addBatchObservableCallback(forSecond, observables.map(inSecond));
    },
    removeBatchObservableCallback: (observe, observables) => {
      first.removeBatchObservableCallback(observe, observables);
      second.removeBatchObservableCallback(registered.get(observe) ?? observe, observables.map(inSecond));
      registered.delete(observe);
    },
  };
}

function bothHistograms(first: Histogram, second: Histogram): Histogram {
  return {
    record: (...measured) => {
      first.record(...measured);
      second.record(...measured);
    },
  };
}

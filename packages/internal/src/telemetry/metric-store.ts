import type { Attributes } from '@opentelemetry/api';
import { callListener } from '../events.js';
import type { UsedMeter } from './open-telemetry-api.js';

/** Series of one metric. Further ones are added up in one with the attribute `otel.metric.overflow`. */
const MAX_SERIES = 2_000;

type Options = NonNullable<Parameters<UsedMeter['createHistogram']>[1]>;
type Observe = Parameters<UsedMeter['addBatchObservableCallback']>[0];

/** Values of a histogram since its start. */
export interface HistogramValue {
  /** One more than the boundaries. */
  readonly counts: number[];
  sum: number;
  min: number;
  max: number;
}

interface Point<Value> {
  readonly attributes: Attributes;
  readonly value: Value;
}

interface Described {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

/** One metric with its values now. */
export type StoredMetric = Described &
  (
    | {
        readonly type: 'histogram';
        readonly boundaries: readonly number[];
        readonly points: readonly Point<HistogramValue>[];
      }
    | { readonly type: 'gauge' | 'counter'; readonly points: readonly Point<number>[] }
  );

/** Adds up in memory what requests record, so that a measurement costs an addition. */
export class MetricStore {
  readonly #instruments: (Histogram | Observed)[] = [];
  readonly #callbacks = new Set<Observe>();
  readonly #meter = {
    createHistogram: (name: string, options?: Options) => this.#add(new Histogram(name, options)),
    createObservableGauge: (name: string, options?: Options) => this.#add(new Observed(name, 'gauge', options)),
    createObservableCounter: (name: string, options?: Options) => this.#add(new Observed(name, 'counter', options)),
    addBatchObservableCallback: (observe: Observe) => void this.#callbacks.add(observe),
    removeBatchObservableCallback: (observe: Observe) => void this.#callbacks.delete(observe),
  };

  /** Has the instruments that the telemetry uses. */
  getMeter(_name: string): UsedMeter {
    return this.#meter as unknown as UsedMeter;
  }

  /** Observes what is read on each collection, and returns every metric that has a value. */
  read(): readonly StoredMetric[] {
    for (const each of this.#instruments) if (each instanceof Observed) each.clear();
    for (const observe of this.#callbacks) {
      const result = {
        observe: (to: unknown, value: number, attributes: Attributes = {}) =>
          (to as Observed).record(value, attributes),
      };
      callListener('OpenTelemetry', () => void observe(result as unknown as Parameters<Observe>[0]));
    }
    return this.#instruments.map((each) => each.read()).filter(({ points }) => points.length > 0);
  }

  #add<Instrument extends Histogram | Observed>(instrument: Instrument): Instrument {
    this.#instruments.push(instrument);
    return instrument;
  }
}

function described(name: string, { unit = '', description = '' }: Options = {}): Described {
  return { name, unit, description };
}

/** Its values are those of the last collection. */
class Observed {
  readonly #facts: Described & { readonly type: 'gauge' | 'counter' };
  readonly #series = new Series(() => ({ value: 0 }));

  constructor(name: string, type: 'gauge' | 'counter', options: Options | undefined) {
    this.#facts = { ...described(name, options), type };
  }

  record(value: number, attributes: Attributes): void {
    this.#series.at(attributes).value = value;
  }

  clear(): void {
    this.#series.clear();
  }

  read(): StoredMetric {
    const points = this.#series.points().map(({ attributes, value: { value } }) => ({ attributes, value }));
    return { ...this.#facts, points };
  }
}

class Histogram {
  readonly #facts: Described;
  readonly #boundaries: readonly number[];
  readonly #series: Series<HistogramValue>;

  constructor(name: string, options: Options = {}) {
    this.#facts = described(name, options);
    this.#boundaries = options.advice?.explicitBucketBoundaries ?? [];
    const empty = new Array<number>(this.#boundaries.length + 1).fill(0);
    this.#series = new Series(() => ({
      counts: [...empty],
      sum: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
    }));
  }

  record(value: number, attributes: Attributes = {}): void {
    const values = this.#series.at(attributes);
    let bucket = 0;
    while (bucket < this.#boundaries.length && value > (this.#boundaries[bucket] as number)) bucket += 1;
    values.counts[bucket] = (values.counts[bucket] as number) + 1;
    values.sum += value;
    if (value < values.min) values.min = value;
    if (value > values.max) values.max = value;
  }

  read(): StoredMetric {
    return { ...this.#facts, type: 'histogram', boundaries: this.#boundaries, points: this.#series.points() };
  }
}

/** Values by their attributes. */
class Series<Value> {
  readonly #points = new Map<string, Point<Value>>();
  /** Telemetry uses the same object again for the same attributes. */
  #byObject = new WeakMap<Attributes, Value>();
  readonly #create: () => Value;

  constructor(create: () => Value) {
    this.#create = create;
  }

  at(attributes: Attributes): Value {
    const known = this.#byObject.get(attributes);
    if (known !== undefined) return known;
    const found = this.#find(attributes);
    this.#byObject.set(attributes, found);
    return found;
  }

  #find(attributes: Attributes): Value {
    const key = JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = this.#points.get(key);
    if (known !== undefined) return known.value;
    if (this.#points.size >= MAX_SERIES && attributes !== overflow) return this.at(overflow);
    const value = this.#create();
    this.#points.set(key, { attributes, value });
    return value;
  }

  points(): readonly Point<Value>[] {
    return [...this.#points.values()];
  }

  clear(): void {
    this.#points.clear();
    this.#byObject = new WeakMap();
  }
}

const overflow: Attributes = { 'otel.metric.overflow': true };

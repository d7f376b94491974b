import type { OpenTelemetryApi, UsedMeter } from '@x/mcp-client-manager/telemetry';

/** Series of one metric. Further ones are added up in one with the label `otel_metric_overflow`. */
const MAX_SERIES = 2_000;

export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

type Options = NonNullable<Parameters<UsedMeter['createHistogram']>[1]>;
type Labels = Readonly<Record<string, unknown>>;
type Observe = Parameters<UsedMeter['addBatchObservableCallback']>[0];

/**
 * Metrics in memory, as text for Prometheus. Has the instruments that the telemetry uses; names follow OpenTelemetry's rules
 * for Prometheus.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export class PrometheusMetrics {
  readonly #metrics: Metric[] = [];
  readonly #callbacks = new Set<Observe>();

  /** `metrics` for `createTelemetry`. */
  readonly api: OpenTelemetryApi['metrics'] = { getMeter: () => this.#meter as unknown as UsedMeter };

  /** @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
  text(): string {
    for (const metric of this.#metrics) if (metric instanceof Observed) metric.clear();
    for (const observe of this.#callbacks) {
      const result = {
        observe: (to: unknown, value: number, labels: Labels = {}) => (to as Metric).record(value, labels),
      };
      void observe(result as Parameters<Observe>[0]);
    }
    return this.#metrics.map((metric) => metric.text()).join('');
  }

  get #meter() {
    return {
      createHistogram: (name: string, options: Options = {}) => this.#add(new Histogram(name, options)),
      createObservableGauge: (name: string, options?: Options) => this.#add(new Observed(name, 'gauge', options)),
      createObservableCounter: (name: string, options?: Options) => this.#add(new Observed(name, 'counter', options)),
      addBatchObservableCallback: (observe: Observe) => void this.#callbacks.add(observe),
      removeBatchObservableCallback: (observe: Observe) => void this.#callbacks.delete(observe),
    };
  }

  #add(metric: Metric): Metric {
    this.#metrics.push(metric);
    return metric;
  }
}

abstract class Metric {
  readonly name: string;
  readonly #type: string;
  readonly #help: string;

  constructor(name: string, type: string, { unit, description = '' }: Options = {}) {
    this.name = prometheusName(name, unit, type);
    this.#type = type;
    this.#help = description;
  }

  abstract record(value: number, labels: Labels): void;
  protected abstract samples(): readonly string[];

  text(): string {
    const samples = this.samples();
    if (samples.length === 0) return '';
    const help = `# HELP ${this.name} ${this.#help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`;
    return `${[help, `# TYPE ${this.name} ${this.#type}`, ...samples].join('\n')}\n`;
  }
}

/** Its values are those of the last collection. */
class Observed extends Metric {
  readonly #values = new Series<{ value: number }>(() => ({ value: 0 }));

  record(value: number, labels: Labels): void {
    this.#values.at(labels).value = value;
  }

  clear(): void {
    this.#values.clear();
  }

  protected samples(): readonly string[] {
    return this.#values.map((labels, { value }) => sample(this.name, labels, value));
  }
}

class Histogram extends Metric {
  readonly #bounds: readonly number[];
  readonly #values: Series<{ readonly counts: number[]; sum: number }>;

  constructor(name: string, options: Options) {
    super(name, 'histogram', options);
    this.#bounds = options.advice?.explicitBucketBoundaries ?? [];
    this.#values = new Series(() => ({ counts: new Array(this.#bounds.length + 1).fill(0), sum: 0 }));
  }

  record(value: number, labels: Labels): void {
    const values = this.#values.at(labels);
    const index = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = index < 0 ? this.#bounds.length : index;
    values.counts[bucket] = (values.counts[bucket] ?? 0) + 1;
    values.sum += value;
  }

  protected samples(): readonly string[] {
    return this.#values.map((labels, { counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, index) => {
        total += count;
        return sample(`${this.name}_bucket`, [...labels, label('le', this.#bounds[index] ?? '+Inf')], total);
      });
      return [...buckets, sample(`${this.name}_sum`, labels, sum), sample(`${this.name}_count`, labels, total)].join(
        '\n',
      );
    });
  }
}

/** Values by their labels. */
class Series<Value> {
  readonly #values = new Map<string, Value>();
  /** Telemetry uses the same object again for the same labels. */
  #byObject = new WeakMap<Labels, Value>();
  readonly #create: () => Value;

  constructor(create: () => Value) {
    this.#create = create;
  }

  at(labels: Labels): Value {
    const known = this.#byObject.get(labels);
    if (known !== undefined) return known;
    const found = this.#find(labels);
    this.#byObject.set(labels, found);
    return found;
  }

  #find(labels: Labels): Value {
    const key = Object.keys(labels)
      .sort()
      .map((name) => label(name, labels[name]))
      .join(',');
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= MAX_SERIES && key !== OVERFLOW) return this.at({ otel_metric_overflow: true });
    const value = this.#create();
    this.#values.set(key, value);
    return value;
  }

  map<Result>(render: (labels: readonly string[], value: Value) => Result): readonly Result[] {
    return Array.from(this.#values, ([key, value]) => render(key === '' ? [] : [key], value));
  }

  clear(): void {
    this.#values.clear();
    this.#byObject = new WeakMap();
  }
}

const OVERFLOW = 'otel_metric_overflow="true"';
const units: Readonly<Record<string, string>> = { s: '_seconds' };

function prometheusName(name: string, unit = '', type: string): string {
  return `${plainName(name)}${units[unit] ?? ''}${type === 'counter' ? '_total' : ''}`;
}

function plainName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '_');
}

function label(name: string, value: unknown): string {
  const text = String(value).replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
  return `${plainName(name)}="${text}"`;
}

function sample(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${value}`;
}

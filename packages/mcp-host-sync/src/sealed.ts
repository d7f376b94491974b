/** Holds a value that may have secrets in it: printed, logged or serialized it is `***`, and only `open` gives it. */
export class Sealed<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  /** The value itself, secrets and all. Not for logs. */
  open(): Value {
    return this.#value;
  }

  /** Always `***`. */
  toJSON(): string {
    return '***';
  }

  /** Always `***`. */
  toString(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}

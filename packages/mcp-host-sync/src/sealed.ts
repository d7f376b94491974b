/** Protects a value that may contain secrets: it prints, logs and serializes as `***`. `open` returns the value. */
export class Sealed<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  /** Returns the value, including secrets. Do not log it. */
  open(): Value {
    return this.#value;
  }

  /** Never contains the value. */
  toJSON(): string {
    return '***';
  }

  /** Never contains the value. */
  toString(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}

/** Protects a value that may contain secrets: it prints and serializes as `***`. */
export class Sealed<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  /** Returns the value, which may contain secrets. */
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

/** A text that is no literal. */
export class LiteralFault extends Error {
  override readonly name = 'LiteralFault';
  /** Offset in the text, in UTF-16 code units. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const deepest = 500;

/**
 * Reads values as JSON, or as literals of JavaScript or Python: keys without quotes, single quotes, a trailing comma,
 * `True`, `False` and `None`. A repeated key and a number that would be rounded are faults.
 */
export class LiteralReader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** @throws {LiteralFault} */
  value(depth = 0): unknown {
    this.blanks();
    if (depth > deepest) throw this.fault('the values are nested too deeply');
    const next = this.text[this.at];
    if (next === '{') return this.object(depth);
    if (next === '[') return this.#list(depth);
    if (next === '"' || next === "'") return this.#quoted(next);
    if (next === undefined || /[,:=)\]}]/.test(next)) throw this.fault('a value is missing');
    return this.#word();
  }

  object(depth = 0): Record<string, unknown> {
    this.#expect('{');
    return this.entries('}', ':', depth);
  }

  /**
   * Reads `key: value` pairs up to the closing bracket.
   *
   * @param signs - The characters that may stand between key and value.
   */
  entries(close: string, signs: string, depth = 0): Record<string, unknown> {
    const found = new Map<string, unknown>();
    while (!this.#skip(close)) {
      this.blanks();
      const start = this.at;
      const key = this.#key(close);
      this.blanks();
      const sign = this.text[this.at];
      if (sign === undefined || !signs.includes(sign))
        throw new LiteralFault(start, 'an argument must have a name, as in name: value');
      this.at += 1;
      if (found.has(key)) throw new LiteralFault(start, `"${key.slice(0, 80)}" is given twice`);
      found.set(key, this.value(depth + 1));
      if (!this.#skip(',') && !this.#follows(close)) throw this.fault(`"," or "${close}" is missing`);
    }
    return Object.fromEntries(found);
  }

  /** @throws {LiteralFault} Something follows. */
  end(): void {
    this.blanks();
    if (this.at < this.text.length) throw this.fault('nothing may follow here');
  }

  blanks(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
  }

  fault(message: string): LiteralFault {
    return new LiteralFault(this.at, message);
  }

  #list(depth: number): readonly unknown[] {
    this.#expect('[');
    const found: unknown[] = [];
    while (!this.#skip(']')) {
      found.push(this.value(depth + 1));
      if (!this.#skip(',') && !this.#follows(']')) throw this.fault('"," or "]" is missing');
    }
    return found;
  }

  #key(close: string): string {
    const next = this.text[this.at];
    if (next === '"' || next === "'") return this.#quoted(next);
    const [found = ''] = this.#match(/[^\s:=,(){}[\]"']+/y);
    if (found !== '') return found;
    throw this.fault(next === undefined ? `"${close}" is missing` : 'a name is missing');
  }

  #quoted(quote: string): string {
    const start = this.at;
    this.at += 1;
    const parts: string[] = [];
    for (;;) {
      const from = this.at;
      while (this.at < this.text.length && this.text[this.at] !== quote && this.text[this.at] !== '\\') this.at += 1;
      parts.push(this.text.slice(from, this.at));
      const next = this.text[this.at];
      if (next === undefined) throw new LiteralFault(start, 'the quote that begins here is not closed');
      if (next === '\\') parts.push(this.#escape());
      else {
        this.at += 1;
        return parts.join('');
      }
    }
  }

  #escape(): string {
    const [whole, hex, letter = ''] = this.#match(/\\(?:u([0-9a-fA-F]{4})|([^u]))/sy);
    if (whole === undefined) throw this.fault('the escape \\u needs four hexadecimal digits');
    const character = hex === undefined ? escapes.get(letter) : String.fromCharCode(Number.parseInt(hex, 16));
    if (character !== undefined) return character;
    this.at -= whole.length;
    throw this.fault(`"\\${letter}" is no escape; write "\\\\${letter}" for a backslash`);
  }

  /** A number or a constant. */
  #word(): unknown {
    const start = this.at;
    const [found = ''] = this.#match(/[^\s,:=(){}[\]"']+/y);
    if (constants.has(found)) return constants.get(found);
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(found)) {
      const what = found === '' ? `"${this.text[start]}" is no value` : `"${found.slice(0, 40)}" needs quotes`;
      throw new LiteralFault(start, what);
    }
    const value = Number(found);
    if (isExact(found, value)) return value;
    throw new LiteralFault(start, `the number ${found.slice(0, 40)} would be rounded`);
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw this.fault(`"${character}" is missing`);
  }

  #follows(character: string): boolean {
    this.blanks();
    return this.text[this.at] === character;
  }

  #skip(character: string): boolean {
    const isNext = this.#follows(character);
    if (isNext) this.at += 1;
    return isNext;
  }

  #match(pattern: RegExp): readonly string[] {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? [];
    this.at += found[0]?.length ?? 0;
    return found;
  }
}

/** False if a number is beyond what a double holds, as a long id may be. */
export function isExact(text: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return (
    !/^-?\d+$/.test(text) || Number.isSafeInteger(value) || BigInt(text) === BigInt(value) || text === String(value)
  );
}

const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['/', '/'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
  ['\n', ''],
]);

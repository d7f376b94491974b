import type { JsonSchema } from '../contracts.js';
import { type Expected, type Guess, type KeywordFault, toPointer } from './schema-fault.js';

/** About a tenth of a second. A step is one keyword, member or comparison. */
const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 200;
const MAX_FAULTS = 10;

/** One compiled schema. Its checks are added later, because schemas may be circular. */
export interface SchemaNode {
  readonly schema: unknown;
  readonly checks: Check[];
  /** True if it has `unevaluatedProperties` or `unevaluatedItems`. */
  readonly needsEvaluated: boolean;
}

/** True if the value passes one keyword. Otherwise records the fault. */
export type Check = (value: unknown, run: CheckRun) => boolean;

/** True if a text matches one pattern. */
export type PatternTest = (text: string, run: CheckRun) => boolean;

/** The check exceeds its budget. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
  /** The run's `gaps` at the start. If there are more now, something unchecked may have evaluated any member. */
  readonly gaps: number;
}

export class CheckRun {
  /** Number of unchecked passes. Code that infers a fault from "fits" must compare it. */
  gaps = 0;
  /** Of the current value, where a schema reads it. */
  evaluated: Evaluated | undefined;
  readonly #path: (string | number)[] = [];
  #faults: KeywordFault[] | undefined = [];
  #stepsLeft = MAX_STEPS;
  #depth = 0;

  get faults(): readonly KeywordFault[] {
    return this.#faults ?? [];
  }

  /** True if faults are wanted, not only the verdict. */
  get wantsFaults(): boolean {
    return this.#faults !== undefined && this.#faults.length < MAX_FAULTS;
  }

  get pointer(): string {
    return toPointer(this.#path);
  }

  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) this.giveUp('the check takes too long');
  }

  giveUp(reason: string): never {
    throw new TooMuchWork(reason);
  }

  check(node: SchemaNode, value: unknown): boolean {
    this.spend(1);
    if (++this.#depth > MAX_DEPTH) this.giveUp(`the value or its schema nests deeper than ${MAX_DEPTH} levels`);
    const fits = node.needsEvaluated ? this.#keepingEvaluated(node, value) : this.#runChecks(node, value);
    this.#depth--;
    return fits;
  }

  checkMember(key: string | number, node: SchemaNode, value: unknown): boolean {
    const outer = this.evaluated;
    this.evaluated = undefined;
    this.#path.push(key);
    const fits = this.check(node, value);
    this.#path.pop();
    this.evaluated = outer;
    return fits;
  }

  /** True if the value fits. Records no faults. */
  fits(node: SchemaNode, value: unknown): boolean {
    const [faults, outer] = [this.#faults, this.evaluated];
    this.#faults = undefined;
    this.evaluated = outer && this.#noneEvaluated();
    const fits = this.check(node, value);
    if (fits && outer !== undefined && this.evaluated !== undefined) addEvaluated(outer, this.evaluated);
    this.#faults = faults;
    this.evaluated = outer;
    return fits;
  }

  faultsOf(node: SchemaNode, value: unknown): readonly KeywordFault[] {
    const [faults, outer] = [this.#faults, this.evaluated];
    const found: KeywordFault[] = [];
    this.#faults = found;
    this.check(node, value);
    this.#faults = faults;
    this.evaluated = outer;
    return found;
  }

  /** Records a fault of the current value, or of its member `key`. Always `false`. */
  fail(
    keyword: string,
    message: string,
    expected: Expected,
    { key, guess }: { readonly key?: string; readonly guess?: Guess | undefined } = {},
  ): false {
    if (!this.wantsFaults) return false;
    const path = key === undefined ? this.pointer : toPointer([...this.#path, key]);
    return this.add([{ keyword, path, message, expected, guess }]);
  }

  /** Always `false`. */
  add(faults: readonly KeywordFault[]): false {
    for (const fault of faults) {
      const isKnown = this.#faults?.some(({ path, message }) => path === fault.path && message === fault.message);
      if (this.wantsFaults && !isKnown) this.#faults?.push(fault);
    }
    return false;
  }

  #noneEvaluated(): Evaluated {
    return { properties: new Set(), items: new Set(), gaps: this.gaps };
  }

  #runChecks({ checks }: SchemaNode, value: unknown): boolean {
    let fits = true;
    for (const check of checks) {
      if (check(value, this)) continue;
      fits = false;
      if (!this.wantsFaults) break;
    }
    return fits;
  }

  #keepingEvaluated(node: SchemaNode, value: unknown): boolean {
    const outer = this.evaluated;
    const own = this.#noneEvaluated();
    this.evaluated = own;
    const fits = this.#runChecks(node, value);
    if (fits && outer !== undefined) addEvaluated(outer, own);
    this.evaluated = outer;
    return fits;
  }
}

function addEvaluated(to: Evaluated, more: Evaluated): void {
  for (const key of more.properties) to.properties.add(key);
  for (const index of more.items) to.items.add(index);
}

export interface SchemaContext {
  readonly schema: JsonSchema;
  /** Compiles a subschema; `undefined` if it is not a schema. */
  compile(schema: unknown): SchemaNode | undefined;
  /** Records a pattern that cannot be tested, and returns `undefined`. */
  pattern(source: string): PatternTest | undefined;
  /** Records that a keyword is not checked. Returns a check that every value passes. */
  gap(reason: string): Check;
}

import { type Expected, type Guess, type KeywordFault, toPointer } from './schema-fault.js';

/** Steps for one check: about a tenth of a second. A step is one keyword, member or comparison. */
const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 200;
const MAX_FAULTS = 10;

/** One schema, ready to be checked with. The checks are filled in after it is made, so that schemas may go in circles. */
export interface SchemaNode {
  /** As it was written. */
  readonly schema: unknown;
  readonly checks: Check[];
  /** Whether it has `unevaluatedProperties` or `unevaluatedItems`, which ask what all others have looked at. */
  readonly asksEvaluated: boolean;
}

/** Whether the value passes one keyword. Tells the run why if it does not. */
export type Check = (value: unknown, run: CheckRun) => boolean;

/** The check exceeds its budget of steps or depth. Its result is `unchecked`. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** Which members of one value the schemas have looked at. */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
  /** The run's `gaps` when it began: with more of them now, something unchecked may have looked at any member. */
  readonly gaps: number;
}

/** One walk over a value with a schema: where it is, what it has found, what it may still cost. */
export class CheckRun {
  /** Counts what could not be checked and was let pass. Whoever concludes from "fits" that something is wrong must look here. */
  gaps = 0;
  /** For the value that is being looked at; only kept where a schema will ask. */
  evaluated: Evaluated | undefined;
  readonly #path: (string | number)[] = [];
  /** Without it only yes or no is wanted. */
  #faults: KeywordFault[] | undefined = [];
  #stepsLeft = MAX_STEPS;
  #depth = 0;

  get faults(): readonly KeywordFault[] {
    return this.#faults ?? [];
  }

  /** Whether somebody wants to know all that is wrong, rather than whether anything is. */
  get isTelling(): boolean {
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
    const fits = node.asksEvaluated ? this.#keepingEvaluated(node, value) : this.#runChecks(node, value);
    this.#depth--;
    return fits;
  }

  /** Checks a member of the value that is being looked at. */
  checkMember(key: string | number, node: SchemaNode, value: unknown): boolean {
    const outer = this.evaluated;
    this.evaluated = undefined;
    this.#path.push(key);
    const fits = this.check(node, value);
    this.#path.pop();
    this.evaluated = outer;
    return fits;
  }

  /** Whether the value fits, without telling why not. What a schema that does not fit has looked at does not count. */
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

  /** What is wrong with the value by this schema, kept apart from all other faults. */
  faultsOf(node: SchemaNode, value: unknown): readonly KeywordFault[] {
    const [faults, outer] = [this.#faults, this.evaluated];
    const found: KeywordFault[] = [];
    this.#faults = found;
    this.check(node, value);
    this.#faults = faults;
    this.evaluated = outer;
    return found;
  }

  /** Notes what is wrong with the value that is being looked at, or with its member `key`. Always `false`. */
  fail(
    keyword: string,
    message: string,
    expected: Expected,
    { key, guess }: { readonly key?: string; readonly guess?: Guess | undefined } = {},
  ): false {
    if (!this.isTelling) return false;
    const path = key === undefined ? this.pointer : toPointer([...this.#path, key]);
    return this.add([{ keyword, path, message, expected, guess }]);
  }

  /** Takes over faults that were found apart. Always `false`. */
  add(faults: readonly KeywordFault[]): false {
    for (const fault of faults) {
      const isKnown = this.#faults?.some(({ path, message }) => path === fault.path && message === fault.message);
      if (this.isTelling && !isKnown) this.#faults?.push(fault);
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
      if (!this.isTelling) break;
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

import type { JsonSchema } from '../contracts.js';
import { isRecord } from '../json/json-values.js';
import type { Check, PatternTest, SchemaContext, SchemaNode } from './check-run.js';
import { arrayKeywords } from './keywords-array.js';
import { combinedKeywords } from './keywords-combined.js';
import { objectKeywords } from './keywords-object.js';
import { unevaluatedKeywords } from './keywords-unevaluated.js';
import { valueKeywords } from './keywords-value.js';
import { indexReferences, isOldDialect, type SchemaReferences } from './schema-references.js';
import { PatternSet, patternEngine } from './text-pattern.js';

/** Schemas with more values are not compiled, so nothing is checked against them. */
const MAX_SCHEMA_VALUES = 20_000;
const MAX_GAPS = 10;

export interface CompiledSchema {
  /** `undefined` if it cannot be used. */
  readonly root: SchemaNode | undefined;
  readonly gaps: readonly string[];
}

/**
 * Compiles a JSON Schema of 2020-12, or of drafts 4 to 7. A part that cannot be checked is recorded, and passes every
 * value.
 *
 * @param schema - A tree of bounded depth.
 * @throws {Error} It has a pattern, and `usePatternEngine` was not called.
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  if (hasMoreValues(schema, MAX_SCHEMA_VALUES)) {
    return { root: undefined, gaps: [`the schema has more than ${MAX_SCHEMA_VALUES} values`] };
  }
  const compiler = new Compiler(schema);
  return { root: compiler.run(schema), gaps: compiler.gaps };
}

class Compiler {
  readonly gaps: string[] = [];
  readonly #nodes = new Map<object, SchemaNode>();
  /** Nodes without their checks yet: chains of references may be too long for recursion. */
  readonly #open: { readonly node: SchemaNode; readonly schema: JsonSchema }[] = [];
  #patterns: PatternSet | undefined;
  readonly #references: SchemaReferences;
  readonly #isOld: boolean;

  constructor(root: JsonSchema) {
    this.#references = indexReferences(root);
    this.#isOld = isOldDialect(root.$schema);
  }

  run(root: JsonSchema): SchemaNode | undefined {
    const start = this.#compile(root);
    // Grows during the loop.
    for (const { node, schema } of this.#open) node.checks.push(...this.#checksOf(schema));
    return start;
  }

  #compile(schema: unknown): SchemaNode | undefined {
    if (typeof schema === 'boolean') return { schema, checks: schema ? [] : [notAllowed], needsEvaluated: false };
    if (!isRecord(schema)) return undefined;
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const needsEvaluated = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
    const node: SchemaNode = { schema, checks: [], needsEvaluated };
    this.#nodes.set(schema, node);
    this.#open.push({ node, schema });
    return node;
  }

  #checksOf(schema: JsonSchema): readonly Check[] {
    const context: SchemaContext = {
      schema,
      compile: (below) => this.#compile(below),
      pattern: (source) => this.#pattern(source),
      gap: (reason) => this.#gap(reason),
    };
    const references = this.#referenceChecks(schema);
    if (this.#isOld && typeof schema.$ref === 'string') return references;
    const checks = this.#keywordChecks(context, references);
    // An extension of OpenAPI, from which many servers make their schemas.
    return schema.nullable === true ? checks.map(orNull) : checks;
  }

  #keywordChecks(context: SchemaContext, references: readonly Check[]): readonly Check[] {
    return [
      ...valueKeywords(context),
      ...objectKeywords(context),
      ...arrayKeywords(context),
      ...references,
      ...combinedKeywords(context),
      ...unevaluatedKeywords(context), // last: they read what the others evaluated
    ];
  }

  #referenceChecks(schema: JsonSchema): readonly Check[] {
    const checks: Check[] = [];
    if (typeof schema.$ref === 'string') checks.push(this.#referenceCheck(schema.$ref, schema));
    if (typeof schema.$recursiveRef === 'string') {
      const isPlain = this.#references.resources === 1;
      checks.push(isPlain ? this.#referenceCheck('#', schema) : this.#gap('$recursiveRef among several $id'));
    }
    if (typeof schema.$dynamicRef === 'string') {
      const anchor = schema.$dynamicRef.slice(schema.$dynamicRef.indexOf('#') + 1);
      // With one candidate it is a plain reference; otherwise the target depends on the path.
      const isPlain = (this.#references.dynamicAnchors.get(anchor) ?? 0) <= 1;
      checks.push(isPlain ? this.#referenceCheck(schema.$dynamicRef, schema) : this.#gap('an ambiguous $dynamicRef'));
    }
    return checks;
  }

  #referenceCheck(reference: string, from: JsonSchema): Check {
    const target = this.#compile(this.#references.resolve(reference, from));
    if (target === undefined)
      return this.#gap(`the reference ${JSON.stringify(reference.slice(0, 100))}, which leads out of the schema`);
    return (value, run) => run.check(target, value);
  }

  #pattern(source: string): PatternTest | undefined {
    this.#patterns ??= new PatternSet(patternEngine());
    const test = this.#patterns.compile(source);
    if (test === undefined) this.#gap(`the pattern ${JSON.stringify(source.slice(0, 100))}`);
    return test;
  }

  #gap(reason: string): Check {
    if (this.gaps.length < MAX_GAPS && !this.gaps.includes(reason)) this.gaps.push(reason);
    return (_value, run) => {
      run.gaps++;
      return true;
    };
  }
}

function orNull(check: Check): Check {
  return (value, run) => value === null || check(value, run);
}

const notAllowed: Check = (_value, run) => run.fail('false', 'is not allowed here', 'nothing');

export function mentionsPatterns(schema: JsonSchema): boolean {
  for (const value of valuesIn(schema)) {
    if (isRecord(value) && ('patternProperties' in value || typeof value.pattern === 'string')) return true;
  }
  return false;
}

function hasMoreValues(schema: JsonSchema, limit: number): boolean {
  let count = 0;
  for (const _ of valuesIn(schema)) {
    count++;
    if (count > limit) return true;
  }
  return false;
}

/** Without recursion. */
function* valuesIn(value: unknown): Generator<unknown> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const current = open.pop();
    yield current;
    if (typeof current !== 'object' || current === null) continue;
    for (const item of Object.values(current)) open.push(item);
  }
}

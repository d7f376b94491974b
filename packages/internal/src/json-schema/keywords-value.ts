import { isSameJson } from '../json/json-values.js';
import type { Check, CheckRun, SchemaContext } from './check-run.js';
import { valuesOf } from './expected-shape.js';
import { type JsonType, typeOf, withArticle } from './schema-fault.js';

const MAX_READ_TEXT = 10_000;

export function valueKeywords(context: SchemaContext): readonly Check[] {
  return [...typeCheck(context), ...listedValues(context), ...numberChecks(context), ...textChecks(context)];
}

function typeCheck({ schema, gap }: SchemaContext): readonly Check[] {
  if (schema.type === undefined) return [];
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (!types.every(isType) || types.length === 0) return [gap('a type that JSON Schema does not have')];
  const allowed = new Set<string>(schema.nullable === true ? [...types, 'null'] : types);
  const wanted = Array.from(allowed);
  return [
    (value, run) => {
      const type = typeOf(value);
      if (allowed.has(type) || (allowed.has('integer') && Number.isInteger(value))) return true;
      if (isOpaque(value)) return pass(run);
      if (!run.wantsFaults) return false;
      return run.fail(
        'type',
        `must be ${wanted.map(withArticle).join(' or ')}, got ${actualKind(value, wanted, run)}`,
        {
          shape: schema,
        },
      );
    },
  ];
}

function isType(type: unknown): type is JsonType | 'integer' {
  return ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'].includes(type as string);
}

/** The result of its own `toJSON` is unknown before it is sent. */
function isOpaque(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';
}

function pass(run: CheckRun): true {
  run.gaps++;
  return true;
}

/** Recognizes the most frequent mistake of models: JSON in a string. */
function actualKind(value: unknown, wanted: readonly string[], run: CheckRun): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'a number that JSON does not have';
    return wanted.includes('integer') ? 'a number with a fraction' : 'a number';
  }
  if (typeof value !== 'string' || value.length > MAX_READ_TEXT) return withArticle(typeOf(value));
  run.spend(Math.ceil(value.length / 10));
  try {
    const inner: unknown = JSON.parse(value);
    const isWanted = wanted.includes(typeOf(inner)) || (wanted.includes('integer') && Number.isInteger(inner));
    return isWanted ? 'a string that holds one: give it as it is, without the quotes' : 'a string';
  } catch {
    return 'a string';
  }
}

function listedValues({ schema }: SchemaContext): readonly Check[] {
  const checks: Check[] = [];
  if (Array.isArray(schema.enum)) checks.push(valueCheck('enum', 'is not one of the allowed values', schema.enum));
  if ('const' in schema) checks.push(valueCheck('const', 'is not the one allowed value', [schema.const]));
  return checks;
}

function valueCheck(keyword: string, message: string, values: readonly unknown[]): Check {
  const simple = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const structured = values.filter((value) => typeof value === 'object' && value !== null);
  const cost = 1 + structured.reduce((sum: number, value) => sum + JSON.stringify(value).length, 0);
  return (value, run) => {
    if (simple.has(value)) return true;
    if (typeof value === 'object' && value !== null) {
      run.spend(cost);
      if (structured.some((each) => isSameJson(each, value)) || isOpaque(value)) return true;
    }
    if (!run.wantsFaults) return false;
    const among = () => values.filter((each) => typeof each === 'string');
    const guess = typeof value === 'string' ? { wanted: value, among } : undefined;
    return run.fail(keyword, message, () => valuesOf(values), { guess });
  };
}

function numberChecks({ schema }: SchemaContext): readonly Check[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const checks: Check[] = [];
  const add = (limit: unknown, fits: (value: number, limit: number) => boolean, words: string) => {
    if (typeof limit !== 'number') return;
    checks.push((value, run) => {
      if (typeof value !== 'number' || fits(value, limit)) return true;
      return run.fail('range', `must be ${words} ${limit}`, { shape: schema });
    });
  };
  // In draft 4 these two modified minimum and maximum.
  const [isAbove, isBelow] = [exclusiveMinimum === true, exclusiveMaximum === true];
  add(
    minimum,
    isAbove ? (value, limit) => value > limit : (value, limit) => value >= limit,
    isAbove ? 'more than' : 'at least',
  );
  add(
    maximum,
    isBelow ? (value, limit) => value < limit : (value, limit) => value <= limit,
    isBelow ? 'less than' : 'at most',
  );
  add(exclusiveMinimum, (value, limit) => value > limit, 'more than');
  add(exclusiveMaximum, (value, limit) => value < limit, 'less than');
  add(multipleOf, isMultiple, 'a multiple of');
  return checks;
}

/** Decimal: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (divisor <= 0 || value % divisor === 0) return true;
  const quotient = value / divisor;
  return (
    Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient))
  );
}

function textChecks({ schema, pattern: compilePattern }: SchemaContext): readonly Check[] {
  const { minLength, maxLength, pattern } = schema;
  const checks: Check[] = [];
  if (typeof minLength === 'number') {
    checks.push((value, run) => {
      if (typeof value !== 'string' || value.length >= 2 * minLength || lengthOf(value, run) >= minLength) return true;
      return run.fail('length', `must have at least ${minLength} characters`, { shape: schema });
    });
  }
  if (typeof maxLength === 'number') {
    checks.push((value, run) => {
      if (typeof value !== 'string' || value.length <= maxLength || lengthOf(value, run) <= maxLength) return true;
      return run.fail('length', `must have at most ${maxLength} characters, got ${value.length}`, { shape: schema });
    });
  }
  if (typeof pattern === 'string') {
    const isFound = compilePattern(pattern);
    checks.push((value, run) => {
      if (typeof value !== 'string') return true;
      if (isFound === undefined) return pass(run);
      if (isFound(value, run)) return true;
      return run.fail('pattern', 'does not have the form that its pattern asks for', { shape: schema });
    });
  }
  return checks;
}

/** In characters, some of which take two code units. */
function lengthOf(text: string, run: CheckRun): number {
  run.spend(Math.ceil(text.length / 10));
  let length = 0;
  for (const _ of text) length++;
  return length;
}

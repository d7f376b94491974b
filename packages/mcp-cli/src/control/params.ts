import { isRecord } from '@x/internal/json';
import { ControlError } from './control-error.js';

/** One kind of parameter. */
export interface Kind<Value> {
  /** Ends the sentence `must be …`. */
  readonly expected: string;
  /** The checked value; `undefined` if it does not fit. */
  readonly read: (value: unknown) => Value | undefined;
}

export interface OptionalKind<Value> extends Kind<Value> {
  readonly isOptional: true;
}

/** By parameter name. */
export type Params = Readonly<Record<string, Kind<unknown>>>;

type Values = Readonly<Record<string, unknown>>;
type ReadBy<Each> = Each extends Kind<infer Value> ? Value : never;
type OptionalName<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends OptionalKind<unknown> ? Name : never;
}[keyof Shape];

export type ValuesOf<Shape> = {
  readonly [Name in Exclude<keyof Shape, OptionalName<Shape>>]: ReadBy<Shape[Name]>;
} & {
  readonly [Name in OptionalName<Shape>]?: ReadBy<Shape[Name]> | undefined;
};

/**
 * Checks the parameters of a request. Ignores unknown ones, which a newer command may send.
 *
 * @throws {ControlError} `invalid-request`.
 */
export function readParams(method: string, shape: Params, given: Values): Values {
  const { values, invalid } = readAll(shape, given);
  if (invalid === undefined) return values;
  const found = given[invalid] === undefined ? 'It is missing.' : `It is ${describeValue(given[invalid])}.`;
  const message = `The parameter "${invalid}" of the request "${method}" must be ${shape[invalid]?.expected}. ${found}`;
  throw new ControlError('invalid-request', message);
}

export function kind<Value>(expected: string, read: Kind<Value>['read']): Kind<Value> {
  return { expected, read };
}

export const text: Kind<string> = kind('a string', (value) => (typeof value === 'string' ? value : undefined));
export const number: Kind<number> = kind('a number', (value) => (typeof value === 'number' ? value : undefined));
export const flag: Kind<boolean> = kind('true or false', (value) => (typeof value === 'boolean' ? value : undefined));

export const record: Kind<Values> = kind('an object', (value) => (isRecord(value) ? value : undefined));

/** An object whose fields its user checks. */
export function recordOf<Value extends object>(): Kind<Value> {
  return record as Kind<Value>;
}

/** An object with these fields. Drops other fields. */
export function object<Shape extends Params>(shape: Shape): Kind<ValuesOf<Shape>> {
  const fields = Object.entries(shape).map(([name, { expected }]) => `"${name}" (${expected})`);
  return kind(`an object with ${fields.join(', ')}`, (value) => {
    const { values, invalid } = isRecord(value) ? readAll(shape, value) : {};
    return invalid === undefined ? (values as ValuesOf<Shape> | undefined) : undefined;
  });
}

export function listOf<Value>(each: Kind<Value>): Kind<readonly Value[]> {
  return kind(`a list in which each item is ${each.expected}`, (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map(each.read);
    return items.every((item) => item !== undefined) ? items : undefined;
  });
}

export function optional<Value>(each: Kind<Value>): OptionalKind<Value> {
  return { ...each, isOptional: true };
}

function readAll(shape: Params, given: Values): { readonly values: Values; readonly invalid?: string } {
  const values: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(shape)) {
    if (given[name] === undefined && 'isOptional' in each) continue;
    const value = each.read(given[name]);
    if (value === undefined) return { values, invalid: name };
    values[name] = value;
  }
  return { values };
}

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return Array.isArray(value) ? 'a list that does not fit' : 'an object that does not fit';
}

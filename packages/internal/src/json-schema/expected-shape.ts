import { followPointer, isRecord } from '../json/json-values.js';
import { startOf } from '../text.js';
import { unitIn } from './unit-in.js';

const MAX_LENGTH = 300;
const MAX_DEPTH = 2;
const MAX_MEMBERS = 12;
const MAX_VALUES = 10;
const MAX_BRANCHES = 6;
const MAX_VALUE_LENGTH = 60;

/** Not shown after a name. */
const BRIEF_ANY = 'any';
const BRIEF_VALUES_LENGTH = 60;
const BRIEF_OPTIONAL_LENGTH = 50;

interface Place {
  readonly root: unknown;
  readonly depth: number;
  readonly isBrief: boolean;
}

/** A schema as a signature on one short line: `{ path: string, mode?: "r" | "w" }`. */
export function shapeOf(schema: unknown, root: unknown): string {
  return cut(shape(schema, { root, depth: 0, isBrief: false }), MAX_LENGTH);
}

/** The members of an object's schema on one line: `path: string, mode?: "r" | "w"`. */
export function parametersOf(schema: unknown, root: unknown): string {
  return isRecord(schema) ? cut(members(schema, { root, depth: 0, isBrief: false }), 2 * MAX_LENGTH) : '';
}

/**
 * As `parametersOf`, in few tokens: `path: string, mode?: 'r'|'w', wait?: integer (seconds), …+3`. Omits bounds, most
 * of long enumerations, and optional members that would make the line long.
 */
export function briefParametersOf(schema: unknown): string {
  return isRecord(schema) ? cut(members(schema, { root: schema, depth: 0, isBrief: true }), MAX_LENGTH) : '';
}

export function valuesOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => cut(JSON.stringify(value) ?? 'null', MAX_VALUE_LENGTH));
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`… (${more} more)`] : [])].join(' | ');
}

function briefValuesOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => cut(singleQuoted(value), MAX_VALUE_LENGTH));
  const fits = shown.length === values.length && shown.join('|').length <= BRIEF_VALUES_LENGTH;
  const some = fits ? shown : shown.slice(0, 2);
  const more = values.length - some.length;
  return [...some, ...(more > 0 ? [`…+${more}`] : [])].join('|');
}

/** Double quotes would be escaped in JSON. */
function singleQuoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return /^"[^'\\]*"$/.test(text) ? `'${text.slice(1, -1)}'` : text;
}

function shape(schema: unknown, { root, depth, isBrief }: Place): string {
  const any = isBrief ? BRIEF_ANY : 'any value';
  if (schema === false) return 'nothing';
  if (!isRecord(schema) || depth > MAX_DEPTH) return any;
  const inner = { root, depth: depth + 1, isBrief };
  if (typeof schema.$ref === 'string') return shape(resolveReference(schema.$ref, root), inner);
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values)) return isBrief ? briefValuesOf(values) : valuesOf(values);
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches) && !isRecord(schema.properties)) return union(branches, inner);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? guessType(schema)];
  const shapes = Array.from(new Set(types), (type) => shapeOfType(type, schema, { root, depth, isBrief }) ?? any);
  return Array.from(new Set(shapes)).join(isBrief ? '|' : ' | ');
}

function union(branches: readonly unknown[], inner: Place): string {
  const shapes = new Set(branches.slice(0, MAX_BRANCHES).map((branch) => shape(branch, inner)));
  const more = branches.length - MAX_BRANCHES;
  return [...shapes, ...(more > 0 ? [`… (${more} more)`] : [])].join(inner.isBrief ? '|' : ' | ');
}

/** The type that the keywords of a schema without one imply. */
export function guessType(schema: Readonly<Record<string, unknown>>): string | undefined {
  if (isRecord(schema.properties) || Array.isArray(schema.required)) return 'object';
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : 'array';
}

function shapeOfType(type: unknown, schema: Readonly<Record<string, unknown>>, place: Place): string | undefined {
  const { isBrief } = place;
  switch (type) {
    case 'object': {
      const inner = place.depth < MAX_DEPTH ? members(schema, place) : '';
      return inner === '' ? 'object' : `{ ${inner} }`;
    }
    case 'array': {
      if (!isRecord(schema.items)) return 'array';
      // Otherwise the parts of a hostile schema would multiply.
      const deeper = schema.items.items === undefined ? 0 : 1;
      const item = shape(schema.items, { ...place, depth: place.depth + deeper });
      return /[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'integer':
    case 'number':
      return type + (isBrief ? unitIn(schema.description) : boundsOf(schema.minimum, schema.maximum));
    case 'string': {
      const format = typeof schema.format === 'string' ? ` (${formatOf(schema.format)})` : '';
      const hasPattern = typeof schema.pattern === 'string' && format === '' && !isBrief;
      return `string${format}${hasPattern ? ` matching ${quoted(schema.pattern as string)}` : ''}`;
    }
    case 'boolean':
    case 'null':
      return type;
    default:
      return undefined;
  }
}

function members(schema: Readonly<Record<string, unknown>>, { depth, ...place }: Place): string {
  if (!isRecord(schema.properties)) return '';
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const entries = Object.entries(schema.properties);
  // Required members come first: the line may be cut.
  const ordered = [
    ...entries.filter(([name]) => required.has(name)),
    ...entries.filter(([name]) => !required.has(name)),
  ];
  const shown: string[] = [];
  let length = 0;
  for (const [name, member] of ordered.slice(0, MAX_MEMBERS)) {
    const isRequired = required.has(name);
    const type = shape(member, { ...place, depth: depth + 1 });
    const text = `${keyOf(name)}${isRequired ? '' : '?'}${type === BRIEF_ANY ? '' : `: ${type}`}`;
    if (place.isBrief && !isRequired && (depth > 0 || length + text.length > BRIEF_OPTIONAL_LENGTH)) continue;
    length += text.length;
    shown.push(text);
  }
  const more = entries.length - shown.length;
  if (place.isBrief && depth > 0 && shown.length === 0) return '';
  if (more > 0) shown.push(place.isBrief ? `…+${more}` : `… (${more} more)`);
  return shown.join(', ');
}

function boundsOf(minimum: unknown, maximum: unknown): string {
  const [hasMinimum, hasMaximum] = [typeof minimum === 'number', typeof maximum === 'number'];
  if (hasMinimum && hasMaximum) return ` (${minimum} to ${maximum})`;
  if (hasMinimum) return ` (at least ${minimum})`;
  return hasMaximum ? ` (at most ${maximum})` : '';
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? cut(name, MAX_VALUE_LENGTH) : quoted(name);
}

function formatOf(name: string): string {
  const shown = cut(name, 30);
  return /^[\w.:/-]*…?$/.test(shown) ? shown : JSON.stringify(shown);
}

function quoted(text: string): string {
  return JSON.stringify(cut(text, MAX_VALUE_LENGTH));
}

/** Only `#/…`, which servers send; any other reference reads "any value". */
export function resolveReference(reference: string, root: unknown): unknown {
  return reference.startsWith('#') ? followPointer(root, reference.slice(1)) : undefined;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${startOf(text, length - 1)}…` : text;
}

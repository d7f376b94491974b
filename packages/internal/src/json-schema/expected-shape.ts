import { followPointer, isRecord } from '../json/json-values.js';

const MAX_LENGTH = 300;
const MAX_DEPTH = 2;
const MAX_MEMBERS = 12;
const MAX_VALUES = 10;
const MAX_BRANCHES = 6;
const MAX_VALUE_LENGTH = 60;

/** A schema as a signature on one short line: `{ path: string, mode?: "r" | "w" }`. */
export function shapeOf(schema: unknown, root: unknown): string {
  return cut(shape(schema, root, 0), MAX_LENGTH);
}

/** The members of an object's schema on one line: `path: string, mode?: "r" | "w"`. */
export function parametersOf(schema: unknown, root: unknown): string {
  return isRecord(schema) ? cut(members(schema, root, 0), 2 * MAX_LENGTH) : '';
}

export function valuesOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => cut(JSON.stringify(value) ?? 'null', MAX_VALUE_LENGTH));
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`… (${more} more)`] : [])].join(' | ');
}

function shape(schema: unknown, root: unknown, depth: number): string {
  if (schema === false) return 'nothing';
  if (!isRecord(schema) || depth > MAX_DEPTH) return 'any value';
  if (typeof schema.$ref === 'string') return shape(resolveReference(schema.$ref, root), root, depth + 1);
  if ('const' in schema) return valuesOf([schema.const]);
  if (Array.isArray(schema.enum)) return valuesOf(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches) && !isRecord(schema.properties)) return union(branches, root, depth);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? guessType(schema)];
  return Array.from(new Set(types.map((type) => shapeOfType(type, schema, root, depth)))).join(' | ');
}

function union(branches: readonly unknown[], root: unknown, depth: number): string {
  const shapes = new Set(branches.slice(0, MAX_BRANCHES).map((branch) => shape(branch, root, depth + 1)));
  const more = branches.length - MAX_BRANCHES;
  return [...shapes, ...(more > 0 ? [`… (${more} more)`] : [])].join(' | ');
}

/** The type that the keywords of a schema without one imply. */
export function guessType(schema: Readonly<Record<string, unknown>>): string | undefined {
  if (isRecord(schema.properties) || Array.isArray(schema.required)) return 'object';
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : 'array';
}

function shapeOfType(type: unknown, schema: Readonly<Record<string, unknown>>, root: unknown, depth: number): string {
  switch (type) {
    case 'object': {
      const inner = depth < MAX_DEPTH ? members(schema, root, depth) : '';
      return inner === '' ? 'object' : `{ ${inner} }`;
    }
    case 'array': {
      if (!isRecord(schema.items)) return 'array';
      const item = shape(schema.items, root, depth + 1);
      return /[ ]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'integer':
    case 'number':
      return type + boundsOf(schema.minimum, schema.maximum);
    case 'string': {
      const format = typeof schema.format === 'string' ? ` (${cut(schema.format, 30)})` : '';
      const pattern = typeof schema.pattern === 'string' && format === '' ? ` matching ${quoted(schema.pattern)}` : '';
      return `string${format}${pattern}`;
    }
    case 'boolean':
    case 'null':
      return type;
    default:
      return 'any value';
  }
}

function members(schema: Readonly<Record<string, unknown>>, root: unknown, depth: number): string {
  if (!isRecord(schema.properties)) return '';
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const entries = Object.entries(schema.properties);
  // Required members come first: the line may be cut.
  const ordered = [
    ...entries.filter(([name]) => required.has(name)),
    ...entries.filter(([name]) => !required.has(name)),
  ];
  const shown = ordered
    .slice(0, MAX_MEMBERS)
    .map(([name, member]) => `${keyOf(name)}${required.has(name) ? '' : '?'}: ${shape(member, root, depth + 1)}`);
  return [...shown, ...(entries.length > MAX_MEMBERS ? [`… (${entries.length - MAX_MEMBERS} more)`] : [])].join(', ');
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

function quoted(text: string): string {
  return JSON.stringify(cut(text, MAX_VALUE_LENGTH));
}

/** Only `#/…`, which servers send; any other reference reads "any value". */
export function resolveReference(reference: string, root: unknown): unknown {
  return reference.startsWith('#') ? followPointer(root, reference.slice(1)) : undefined;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

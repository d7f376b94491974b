import { isRecord } from '@x/internal/json';
import { follow, type Json, recordOf, typeOf, typesOf } from '../../../src/call-words/schema-types.js';

/** More members or choices are left to the JSON text, against schemas that fill the page. */
const maxMembers = 200;
const maxChoices = 500;
const maxParts = 50;
const maxDepth = 8;
/** Places of a first value. */
const maxPlaces = 500;

export interface Member {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

export interface Variant {
  readonly label: string;
  readonly schema: Json;
}

/** One place of a form. Texts are those of the server, unchanged. */
export type Field = FieldBase &
  (
    | { readonly kind: 'text' | 'number' | 'flag' | 'json' }
    | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
    | { readonly kind: 'object'; readonly members: readonly Member[]; readonly moreMembers: number }
    | { readonly kind: 'list'; readonly items: unknown; readonly minItems: number; readonly maxItems: number }
    | { readonly kind: 'variants'; readonly variants: readonly Variant[] }
  );

interface FieldBase {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  /** What the server uses if the value is left out. */
  readonly fallback?: unknown;
}

/** Of each tool, by the schemas inside: drawn again with every key, and doubled by references. */
const known = new WeakMap<Json, { readonly fields: WeakMap<Json, Field>; readonly merged: WeakMap<Json, Json> }>();

function knownOf(root: Json) {
  const found = known.get(root) ?? { fields: new WeakMap(), merged: new WeakMap() };
  known.set(root, found);
  return found;
}

/** Reads one schema of a tool. A schema that has no field is left to JSON. */
export function fieldOf(schema: unknown, root: Json): Field {
  if (!isRecord(schema)) return { kind: 'json' };
  const { fields } = knownOf(root);
  const field = fields.get(schema) ?? makeField(mergedSchema(schema, root), root);
  fields.set(schema, field);
  return field;
}

function makeField(whole: Json, root: Json): Field {
  const { title, description, format, default: fallback } = whole;
  const base = { title: textOf(title), description: textOf(description), format: textOf(format), fallback };
  const choices = choicesOf(whole, root);
  if (choices) return choices.length > maxChoices ? { ...base, kind: 'json' } : { ...base, kind: 'choice', choices };
  const variants = variantsOf(whole, root);
  if (variants) return { ...base, kind: 'variants', variants };
  return { ...base, ...plainField(whole, root) };
}

function plainField(schema: Json, root: Json): Field {
  const { properties, items, minItems, maxItems } = schema;
  const [type] = typesOf(schema, root);
  switch (type ?? (isRecord(properties) ? 'object' : undefined)) {
    case 'string':
      return { kind: 'text' };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'flag' };
    case 'object':
      return isRecord(properties) && Object.keys(properties).length > 0 ? objectField(schema) : { kind: 'json' };
    case 'array':
      if (!isRecord(items)) return { kind: 'json' };
      return { kind: 'list', items, minItems: numberOf(minItems, 0), maxItems: numberOf(maxItems, Number.MAX_VALUE) };
    default:
      return { kind: 'json' };
  }
}

function objectField({ properties, required }: Json): Field {
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(recordOf(properties));
  const members = all.slice(0, maxMembers).map(([name, schema]) => ({ name, schema, isRequired: needed.has(name) }));
  return { kind: 'object', members, moreMembers: all.length - members.length };
}

/** The schema with its references and `allOf` resolved. One that contains itself ends there. */
export function mergedSchema(schema: unknown, root: Json): Json {
  if (!isRecord(schema)) return {};
  const { merged } = knownOf(root);
  const before = merged.get(schema);
  if (before) return before;
  merged.set(schema, {});
  const { $ref: _reference, ...own } = schema;
  const { allOf, $ref: _unknown, ...rest } = { ...follow(schema, root), ...own };
  const parts = Array.isArray(allOf) ? allOf.slice(0, maxParts) : [];
  const whole = parts.reduce<Json>((sum, part) => joined(sum, mergedSchema(part, root)), rest);
  merged.set(schema, whole);
  return whole;
}

function joined(one: Json, other: Json): Json {
  const both = { ...other, ...one };
  if (!isRecord(one.properties) && !isRecord(other.properties)) return both;
  const required = [one.required, other.required].flatMap((names) => (Array.isArray(names) ? names : []));
  return { ...both, properties: { ...recordOf(other.properties), ...recordOf(one.properties) }, required };
}

function choicesOf(schema: Json, root: Json): readonly Choice[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    const labels = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, label: textOf(labels[index]) ?? labelOf(value) }));
  }
  if (Object.hasOwn(schema, 'const')) return [{ value: schema.const, label: labelOf(schema.const) }];
  const alternatives = [oneOf, anyOf].find(Array.isArray) as readonly unknown[] | undefined;
  const constants = alternatives?.map((each) => mergedSchema(each, root)) ?? [];
  if (constants.length === 0 || !constants.every((each) => Object.hasOwn(each, 'const'))) return undefined;
  return constants.map((each) => ({ value: each.const, label: textOf(each.title) ?? labelOf(each.const) }));
}

function labelOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function variantsOf(schema: Json, root: Json): readonly Variant[] | undefined {
  const { oneOf, anyOf, type, ...rest } = schema;
  const alternatives = [oneOf, anyOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (alternatives && alternatives.length > 0 && alternatives.length <= maxMembers) {
    const all = alternatives.map((each) => mergedSchema(each, root));
    // Alternatives that only require members of one object are left to the check.
    if (isRecord(schema.properties) && !all.some((each) => isRecord(each.properties))) return undefined;
    // Alternatives of alternatives may have no end.
    if (all.some(hasAlternatives)) return undefined;
    const { title: _title, description: _description, default: _default, ...common } = rest;
    const shared = type === undefined ? common : { ...common, type };
    if (all.length === 1) return undefined;
    return all.map((each, index) => ({ label: variantLabel(each, root, index), schema: joined(each, shared) }));
  }
  if (!Array.isArray(type) || type.length < 2) return undefined;
  return type.map((each) => ({ label: String(each), schema: { ...rest, type: each } }));
}

function hasAlternatives({ oneOf, anyOf }: Json): boolean {
  return Array.isArray(oneOf) || Array.isArray(anyOf);
}

/** The title, else the constants of its members, else the type. */
function variantLabel(schema: Json, root: Json, index: number): string {
  const title = textOf(schema.title);
  if (title !== undefined) return title;
  const constants = Object.entries(recordOf(schema.properties)).flatMap(([name, each]) => {
    const member = mergedSchema(each, root);
    return Object.hasOwn(member, 'const') ? [`${name}: ${labelOf(member.const)}`] : [];
  });
  if (constants.length > 0) return constants.join(', ');
  const types = [...typesOf(schema, root)].join(' or ');
  return types === '' || types === 'object' ? `${types || 'alternative'} ${index + 1}` : types;
}

/**
 * The value that a form begins with: what the schema leaves no choice about, and the defaults of required members.
 * `undefined` is left out.
 */
export function initialValue(schema: unknown, root: Json): unknown {
  return firstValue(schema, root, { depth: 0, budget: { places: maxPlaces } });
}

interface Place {
  readonly depth: number;
  readonly budget: { places: number };
}

function firstValue(schema: unknown, root: Json, { depth, budget }: Place): unknown {
  budget.places -= 1;
  if (depth > maxDepth || budget.places < 0) return undefined;
  const inside = { depth: depth + 1, budget };
  const field = fieldOf(schema, root);
  if (field.fallback !== undefined) return field.fallback;
  switch (field.kind) {
    case 'choice':
      return field.choices.length === 1 ? field.choices[0]?.value : undefined;
    case 'object': {
      const required = field.members.filter(({ isRequired }) => isRequired);
      const values = required.map(({ name, schema: each }) => [name, firstValue(each, root, inside)] as const);
      return Object.fromEntries(values.filter(([, value]) => value !== undefined));
    }
    case 'list': {
      const count = Math.min(field.minItems, maxDepth);
      return Array.from({ length: count }, () => firstValue(field.items, root, inside) ?? null);
    }
    case 'variants':
      return firstValue(field.variants[0]?.schema, root, inside);
    default:
      return undefined;
  }
}

/** The variant that fits a value best: by its constants, then by its members and type. */
export function variantOf(variants: readonly Variant[], value: unknown, root: Json): number {
  const scores = variants.map(({ schema }) => scoreOf(schema, value, root));
  return Math.max(scores.indexOf(Math.max(...scores)), 0);
}

function scoreOf(schema: Json, value: unknown, root: Json): number {
  const types = typesOf(schema, root);
  const isOfType = types.size === 0 || types.has(typeOf(value)) || (types.has('number') && Number.isInteger(value));
  if (!isOfType) return -1_000;
  if (!isRecord(value)) return types.size === 0 ? 0 : 1;
  const properties = recordOf(schema.properties);
  return Object.entries(value).reduce((score, [name, each]) => {
    if (!Object.hasOwn(properties, name)) return score - 1;
    const member = mergedSchema(properties[name], root);
    if (!Object.hasOwn(member, 'const')) return score + 1;
    return score + (member.const === each ? 100 : -100);
  }, 0);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

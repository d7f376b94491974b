import type { JsonSchema } from '@x/internal/contracts';
import { decodeFragment, followPointer, isRecord, isSameJson } from '@x/internal/json';
import type { Report } from './format-note.js';

/** A JSON Schema without references, identifiers, boolean schemas and unknown keywords. */
export type PlainSchema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 40;
const MAX_SCHEMAS = 10_000;

const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(
  'additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const MAP_KEYWORDS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LIST_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords of organization, and rewritten ones of older drafts. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  '$schema $id id $anchor $dynamicAnchor $recursiveAnchor $comment $vocabulary $defs definitions $ref $dynamicRef $recursiveRef additionalItems dependencies nullable'.split(
    ' ',
  ),
);

/**
 * Converts a schema to a tree that any API reads, in bounded time. Other parts become `{}`, which is reported; calls
 * are checked against the original.
 */
export function toPlainSchema(root: unknown, report: Report): PlainSchema {
  let left = MAX_SCHEMAS;
  let anchors: ReadonlyMap<unknown, unknown> | undefined;

  function open(why: string): PlainSchema {
    report('schema-opened', why);
    return {};
  }

  function copy(schema: unknown, depth: number, within: readonly unknown[]): PlainSchema {
    if (left-- <= 0) return open(`The schema has more than ${MAX_SCHEMAS} parts; further ones accept any value`);
    if (depth > MAX_DEPTH) return open(`The schema is deeper than ${MAX_DEPTH} levels; deeper parts accept any value`);
    if (schema === false) return { not: {} };
    if (!isRecord(schema)) return {};
    const own = withoutInvalid(modernize(copyKeywords(schema, depth, within), schema), report);
    const reference = referenceOf(schema);
    if (reference === undefined) return own;

    const target = resolve(reference);
    if (target === undefined)
      return { ...open(`The reference ${reference.slice(0, 80)} has no target in the schema`), ...own };
    if (within.includes(target)) {
      return {
        ...open(`The reference ${reference.slice(0, 80)} is circular; deeper parts accept any value`),
        ...own,
      };
    }
    const meant = copy(target, depth + 1, [...within, target]);
    if (!isInConflict(meant, own)) return { ...meant, ...own };
    return { ...own, allOf: [meant, ...(Array.isArray(own.allOf) ? own.allOf : [])] };
  }

  /** By a pointer or an anchor within the schema. */
  function resolve(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    const fragment = reference.slice(1);
    const anchor = decodeFragment(fragment);
    if (anchor === undefined) return undefined;
    if (anchor === '' || anchor.startsWith('/')) return followPointer(root, fragment);
    anchors ??= anchorsIn(root);
    return anchors.get(anchor);
  }

  function copyKeywords(
    schema: Readonly<Record<string, unknown>>,
    depth: number,
    within: readonly unknown[],
  ): PlainSchema {
    const below = (value: unknown) => copy(value, depth + 1, within);
    const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (LEFT_OUT.has(key) || key.startsWith('x-') || value === undefined) return [];
      if (key === 'items' && Array.isArray(value)) return [['prefixItems', value.map(below)]];
      if (SCHEMA_KEYWORDS.has(key)) return [[key, isOpenness(key, value) ? value : below(value)]];
      if (LIST_KEYWORDS.has(key)) return Array.isArray(value) ? [[key, value.map(below)]] : [];
      if (!MAP_KEYWORDS.has(key)) return [[key, value]];
      // fromEntries defines own properties, even for `__proto__`.
      return isRecord(value)
        ? [[key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, below(each)]))]]
        : [];
    });
    return Object.fromEntries(entries);
  }

  return copy(root, 0, [root]);
}

function withoutInvalid(schema: PlainSchema, report: Report): PlainSchema {
  const entries = Object.entries(schema);
  const kept = entries.filter(([keyword, value]) => isKeywordValue(keyword, value));
  for (const [keyword, value] of entries) {
    if (!isKeywordValue(keyword, value))
      report('keyword-removed', `${keyword} has a value that JSON Schema does not allow`);
  }
  return kept.length === entries.length ? schema : Object.fromEntries(kept);
}

function referenceOf({ $ref, $dynamicRef, $recursiveRef }: Readonly<Record<string, unknown>>): string | undefined {
  return [$ref, $dynamicRef, $recursiveRef].find((reference) => typeof reference === 'string') as string | undefined;
}

/** APIs expect a boolean here. */
function isOpenness(key: string, value: unknown): boolean {
  return typeof value === 'boolean' && (key === 'additionalProperties' || key.startsWith('unevaluated'));
}

/** Converts older drafts and OpenAPI to 2020-12. */
function modernize(
  copied: PlainSchema,
  { nullable, items, additionalItems }: Readonly<Record<string, unknown>>,
): PlainSchema {
  const schema: Record<string, unknown> = { ...copied };
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    const isExclusive = schema[exclusive];
    delete schema[exclusive];
    if (!isExclusive || typeof schema[bound] !== 'number') continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
  if (nullable === true && typeof schema.type === 'string') schema.type = [schema.type, 'null'];
  if (Array.isArray(items) && additionalItems === false) schema.items = { not: {} };
  if ('required' in schema) {
    const names = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
    if (names.length > 0) schema.required = [...new Set(names)];
    else delete schema.required;
  }
  return schema;
}

const MAX_VISITED = 20_000;

function anchorsIn(root: unknown): ReadonlyMap<unknown, unknown> {
  const anchors = new Map<unknown, unknown>();
  const open: unknown[] = [root];
  for (let visited = 0; open.length > 0 && visited < MAX_VISITED; visited++) {
    const place = open.pop();
    if (typeof place !== 'object' || place === null) continue;
    const { $anchor, $dynamicAnchor } = place as Readonly<Record<string, unknown>>;
    for (const anchor of [$anchor, $dynamicAnchor]) if (!anchors.has(anchor)) anchors.set(anchor, place);
    for (const inner of Object.values(place).slice(0, MAX_VISITED)) open.push(inner);
  }
  return anchors;
}

/** Keywords without effect on validation. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default examples deprecated readOnly writeOnly'.split(' '),
);

/** True if a keyword has different values, so the schemas cannot be merged. */
export function isInConflict(one: JsonSchema, other: JsonSchema): boolean {
  return Object.entries(one).some(
    ([keyword, value]) =>
      Object.hasOwn(other, keyword) && !ANNOTATIONS.has(keyword) && !isSameJson(value, other[keyword]),
  );
}

const TYPES: ReadonlySet<unknown> = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']);

/** Valid values by keyword. APIs refuse the whole request for an invalid value. */
const VALID_VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['type', isType],
  ['enum', isFilledList],
  ['pattern', isPattern],
  ['multipleOf', (value: unknown) => isNumber(value) && value > 0],
  ['examples', Array.isArray],
  ['dependentRequired', (value: unknown) => isRecord(value) && Object.values(value).every(isTextList)],
  ['patternProperties', (value: unknown) => isRecord(value) && Object.keys(value).every(isPattern)],
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', isNumber),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', isCount),
  ...each('title description format contentEncoding contentMediaType', isText),
  ...each('uniqueItems deprecated readOnly writeOnly', (value: unknown) => typeof value === 'boolean'),
  ...each('allOf anyOf oneOf prefixItems', isFilledList),
]);

/** True also for unknown keywords. */
function isKeywordValue(keyword: string, value: unknown): boolean {
  return VALID_VALUES.get(keyword)?.(value) ?? true;
}

function each(keywords: string, isValid: (value: unknown) => boolean): [string, (value: unknown) => boolean][] {
  return keywords.split(' ').map((keyword) => [keyword, isValid]);
}

function isType(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0 && new Set(value).size === value.length && value.every((type) => TYPES.has(type))
    : TYPES.has(value);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && Boolean(new RegExp(value, 'u'));
  } catch {
    return false;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

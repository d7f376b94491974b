import { expect } from 'vitest';

type Schema = Readonly<Record<string, unknown>>;

const REFUSED_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', '$ref'];
const STRICT_KEYWORDS = new Set(
  'type description enum properties required additionalProperties items anyOf pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
    ' ',
  ),
);

/** What every API wants of the schema of a tool's arguments. */
export function expectAllowedSchema(schema: Schema): void {
  expect(schema.type).toBe('object');
  expect(schema.properties).toBeTypeOf('object');
  for (const keyword of REFUSED_AT_ROOT) expect(schema).not.toHaveProperty(keyword);
  for (const each of schemasIn(schema)) {
    expect(each).toBeTypeOf('object');
    for (const keyword of ['$ref', '$defs', 'definitions', '$schema', '$id'])
      expect(each).not.toHaveProperty([keyword]);
    if (each.items !== undefined) expect(Array.isArray(each.items)).toBe(false);
    if (each.exclusiveMinimum !== undefined) expect(each.exclusiveMinimum).toBeTypeOf('number');
  }
  JSON.parse(JSON.stringify(schema));
}

/** What OpenAI wants of a strict schema on top of that. */
export function expectStrictSchema(schema: Schema): void {
  for (const each of schemasIn(schema)) {
    expect(Object.keys(each).filter((keyword) => !STRICT_KEYWORDS.has(keyword))).toEqual([]);
    expect('type' in each || 'anyOf' in each || 'enum' in each).toBe(true);
    if (![each.type].flat().includes('object')) continue;
    expect(each.additionalProperties).toBe(false);
    expect(each.required).toEqual(Object.keys(each.properties as object));
  }
}

/** A schema and all within it. */
function schemasIn(schema: unknown): readonly Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    properties = {},
    items,
    anyOf = [],
    oneOf = [],
    allOf = [],
    prefixItems = [],
    additionalProperties,
  } = schema as Schema;
  const below = [
    ...Object.values(properties as object),
    items,
    additionalProperties,
    ...[anyOf, oneOf, allOf, prefixItems].flat(),
  ];
  return [schema as Schema, ...below.flatMap(schemasIn)];
}

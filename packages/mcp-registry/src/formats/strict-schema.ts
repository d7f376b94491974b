import { isRecord } from '@x/internal/json';
import { PatternSet } from '@x/internal/json-schema';
import { RE2JS } from 're2js';
import type { Report } from './format-note.js';
import type { ObjectSchema } from './object-schema.js';
import { isInConflict, type PlainSchema } from './plain-schema.js';

class NotStrict extends Error {
  override readonly name = 'NotStrict';
}

const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5_000;
const MAX_ENUM_VALUES = 1_000;

const KEPT: ReadonlySet<string> = new Set(
  'type description enum properties required additionalProperties items anyOf pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
    ' ',
  ),
);
const BUILT: ReadonlySet<string> = new Set([
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
]);
const REWRITTEN: ReadonlySet<string> = new Set(
  'oneOf allOf const default title examples deprecated readOnly writeOnly'.split(' '),
);
const FORMATS: ReadonlySet<unknown> = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '));

/**
 * Converts a schema to the subset that OpenAI enforces: closed objects that require all properties, with `null` for
 * optional ones. `undefined` if that is impossible.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function toStrictSchema(schema: ObjectSchema, report: Report): ObjectSchema | undefined {
  const writer = new StrictWriter(report);
  try {
    return writer.write({ additionalProperties: false, ...schema }, 'the arguments', 1) as ObjectSchema;
  } catch (error) {
    if (!(error instanceof NotStrict)) throw error;
    report('not-strict', error.message);
    return undefined;
  }
}

/** Would have to be repeated in each alternative. */
const NOT_BESIDE_ANY_OF = ['properties', 'required', 'items', 'patternProperties', 'prefixItems'];

class StrictWriter {
  readonly #report: Report;
  /** RE2, like the API's patterns: no lookaround, no backreferences. */
  readonly #patterns = new PatternSet(RE2JS);
  #properties = 0;
  #enumValues = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  write(given: PlainSchema, place: string, depth: number): PlainSchema {
    if (depth > MAX_DEPTH) throw new NotStrict(`The arguments are deeper than ${MAX_DEPTH} levels`);
    const schema = simplify(given, place);
    this.#reportRemoved(schema);
    const kept = Object.fromEntries(
      Object.entries(schema).filter(([key, value]) => this.#isKept(key, value) && !BUILT.has(key)),
    );
    const written = { ...kept, ...this.#values(schema), ...describe(schema) };
    if (Array.isArray(schema.anyOf)) {
      if (NOT_BESIDE_ANY_OF.some((keyword) => keyword in schema)) {
        throw new NotStrict(`${place} must match several schemas at once`);
      }
      const { description } = written; // calls check the other keywords
      const anyOf = schema.anyOf.map((part) => this.write(part as PlainSchema, place, depth));
      return { ...(description === undefined ? {} : { description }), anyOf };
    }
    const types = [schema.type].flat();
    if (schema.type === undefined && !('enum' in written)) throw new NotStrict(`${place} accepts any value`);
    return {
      ...written,
      ...(types.includes('object') ? this.#object(schema, place, depth) : {}),
      ...(types.includes('array') ? this.#array(schema, place, depth) : {}),
    };
  }

  #object(schema: PlainSchema, place: string, depth: number): PlainSchema {
    const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {});
    const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
    const isMap = [schema.additionalProperties, schema.unevaluatedProperties].some(
      (others) => isRecord(others) || others === true,
    );
    if (isMap || 'patternProperties' in schema || (properties.length === 0 && !isClosed)) {
      throw new NotStrict(`${place} accepts properties of any name`);
    }
    this.#properties += properties.length;
    if (this.#properties > MAX_PROPERTIES) throw new NotStrict(`There are more than ${MAX_PROPERTIES} properties`);
    const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
    const unnamed = Array.from(required).find((name) => !properties.some(([named]) => named === name));
    if (unnamed !== undefined)
      throw new NotStrict(`${place} requires ${JSON.stringify(String(unnamed).slice(0, 80))}, which has no schema`);
    const written = properties.map(([name, property]): [string, PlainSchema] => {
      const strict = this.write(property as PlainSchema, JSON.stringify(name.slice(0, 80)), depth + 1);
      return [name, required.has(name) ? strict : orNull(strict)];
    });
    return {
      properties: Object.fromEntries(written),
      required: properties.map(([name]) => name),
      additionalProperties: false,
    };
  }

  #array(schema: PlainSchema, place: string, depth: number): PlainSchema {
    if ('prefixItems' in schema) throw new NotStrict(`${place} is a list whose items differ by their position`);
    if (!isRecord(schema.items)) throw new NotStrict(`${place} is a list of any values`);
    return { items: this.write(schema.items, `items of ${place}`, depth + 1) };
  }

  #values(schema: PlainSchema): PlainSchema {
    const values = 'const' in schema ? [schema.const] : schema.enum;
    if (!Array.isArray(values)) return {};
    this.#enumValues += values.length;
    if (this.#enumValues > MAX_ENUM_VALUES)
      throw new NotStrict(`There are more than ${MAX_ENUM_VALUES} values to choose from`);
    return { enum: values };
  }

  #reportRemoved(schema: PlainSchema): void {
    for (const [key, value] of Object.entries(schema)) {
      if (this.#isKept(key, value) || REWRITTEN.has(key) || key === 'unevaluatedProperties') continue;
      this.#report('keyword-removed', `${key} is omitted`);
    }
  }

  #isKept(key: string, value: unknown): boolean {
    if (key === 'format') return FORMATS.has(value);
    if (key === 'pattern') return this.#patterns.compile(String(value)) !== undefined;
    return KEPT.has(key);
  }
}

/** Replaces `oneOf` by `anyOf`, and `allOf` by its single part. */
function simplify(given: PlainSchema, place: string): PlainSchema {
  const { allOf, oneOf, ...schema } = given;
  const whole = Array.isArray(oneOf) ? { ...schema, anyOf: schema.anyOf ?? oneOf } : schema;
  if (!Array.isArray(allOf)) return whole;
  const [part, ...others] = allOf;
  if (others.length > 0 || !isRecord(part) || isInConflict(part, whole))
    throw new NotStrict(`${place} must match several schemas at once`);
  return simplify({ ...part, ...whole }, place);
}

/** The subset has no keyword for defaults. */
function describe({ description, default: value }: PlainSchema): PlainSchema {
  if (value === undefined || value === null) return {};
  const text = `Default: ${JSON.stringify(value)}`;
  if (text.length > 200) return {};
  return { description: typeof description === 'string' && description !== '' ? `${description} ${text}` : text };
}

function orNull(schema: PlainSchema): PlainSchema {
  if (Array.isArray(schema.anyOf)) {
    const isThere = schema.anyOf.some((part) => isRecord(part) && part.type === 'null');
    return isThere ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  }
  const values = Array.isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {};
  if (schema.type === undefined) return { ...schema, ...values };
  return { ...schema, type: [...new Set([schema.type, 'null'].flat())], ...values };
}

import { isRecord, isSameJson } from '@x/internal/json';
import type { ToolView } from '@x/internal/views';
import type { Report } from './format-note.js';
import { type PlainSchema, toPlainSchema } from './plain-schema.js';

/** Arguments as APIs require them: an object with named properties. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** Schema of the arguments: an object without references. */
export function schemaOf(tool: ToolView, report: Report = () => undefined): ObjectSchema {
  return toObjectRoot(toPlainSchema(tool.inputSchema, report), report);
}

interface Shape {
  readonly properties: ReadonlyMap<string, PlainSchema>;
  readonly required: ReadonlySet<string>;
}

const NOT_AT_ROOT = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'enum', 'const', 'dependentSchemas'];

/**
 * Removes keywords that APIs refuse at the root. A property of merged alternatives is required only if all of them
 * require it.
 */
function toObjectRoot(schema: PlainSchema, report: Report): ObjectSchema {
  const removed = NOT_AT_ROOT.filter((keyword) => keyword in schema);
  const { type: _, properties: __, required: ___, ...others } = schema;
  const rest = Object.fromEntries(Object.entries(others).filter(([keyword]) => !NOT_AT_ROOT.includes(keyword)));
  for (const keyword of removed) {
    if (isAlternatives(keyword)) {
      report(
        'alternatives-merged',
        `${keyword} of the whole arguments is merged into one object with the properties of all its parts`,
      );
    } else {
      report('keyword-removed', `${keyword} of the whole arguments is omitted`);
    }
  }
  const { properties, required } = shapeOf(schema);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: Array.from(required) }),
    ...(removed.some(isAlternatives) ? withoutClosing(rest) : rest),
  };
}

function isAlternatives(keyword: string): boolean {
  return keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf';
}

/** `additionalProperties` does not cover the properties of merged alternatives. */
function withoutClosing({ additionalProperties: _, unevaluatedProperties: __, ...rest }: PlainSchema): PlainSchema {
  return rest;
}

function shapeOf(schema: PlainSchema): Shape {
  const own: Shape = {
    properties: new Map(
      Object.entries(isRecord(schema.properties) ? schema.properties : {}) as [string, PlainSchema][],
    ),
    required: new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []),
  };
  const parts = ['anyOf', 'oneOf'].map((keyword) => alternativesOf(schema[keyword]));
  const all = [own, ...listOf(schema.allOf).map(shapeOf), ...parts.flatMap((part) => part ?? [])];
  return { properties: joinProperties(all, 'allOf'), required: new Set(all.flatMap(({ required }) => [...required])) };
}

function alternativesOf(value: unknown): Shape | undefined {
  const [first, ...others] = listOf(value).map(shapeOf);
  if (first === undefined) return undefined;
  const required = [...first.required].filter((name) => others.every((other) => other.required.has(name)));
  return { properties: joinProperties([first, ...others], 'anyOf'), required: new Set(required) };
}

function joinProperties(shapes: readonly Shape[], how: 'allOf' | 'anyOf'): ReadonlyMap<string, PlainSchema> {
  const found = new Map<string, PlainSchema[]>();
  for (const [name, schema] of shapes.flatMap(({ properties }) => [...properties])) {
    const known = found.get(name) ?? [];
    found.set(name, known.some((other) => isSameJson(other, schema)) ? known : [...known, schema]);
  }
  return new Map(Array.from(found, ([name, schemas]) => [name, join(schemas, how)]));
}

function join(schemas: readonly PlainSchema[], how: 'allOf' | 'anyOf'): PlainSchema {
  const [only, ...others] = how === 'allOf' ? schemas.filter((schema) => Object.keys(schema).length > 0) : schemas;
  if (only === undefined) return {};
  return others.length === 0 ? only : { [how]: [only, ...others] };
}

function listOf(value: unknown): readonly PlainSchema[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

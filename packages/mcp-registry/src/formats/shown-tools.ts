import { isRecord, isSameJson } from '@x/internal/json';
import type { OptionRows } from '@x/internal/options';
import { requireView, type ToolView } from '@x/internal/views';
import type { RegistryView } from '../views/view.js';
import { type NoteOptions, type Report, reportAbout } from './format-note.js';
import { type PlainSchema, toPlainSchema } from './plain-schema.js';

/** A tool before its conversion to an API's form. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: ObjectSchema;
  readonly report: Report;
}

/** Options common to all formats. */
export interface ShownToolOptions extends NoteOptions {
  /** Longest description, in UTF-16 code units; a longer one is cut and ends in `…`. Default: the API's limit. */
  readonly maxDescriptionLength?: number | undefined;
}

export const shownRows = {
  maxDescriptionLength: {
    kind: 'other',
    check: (given: unknown) => (Number(given) >= 1 ? undefined : `at least 1, got ${given}`),
  },
  onNote: { kind: 'function' },
} as const satisfies OptionRows<ShownToolOptions>;

interface ApiRules {
  readonly maxDescriptionLength: number;
  /** Default: any name. */
  readonly propertyName?: RegExp;
}

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws {TypeError} `view` is not a view. */
export function shownTools(view: RegistryView, options: ShownToolOptions, rules: ApiRules): readonly ShownTool[] {
  requireView(view);
  const { maxDescriptionLength = rules.maxDescriptionLength } = options;
  return view.list().flatMap((tool) => {
    const report = reportAbout(tool.name, options);
    const schema = TOOL_NAME.test(tool.name) ? withAllowedNames(schemaOf(tool, report), rules, report) : undefined;
    if (!TOOL_NAME.test(tool.name)) report('left-out', 'The name is not 1 to 64 characters of A-Z, a-z, 0-9, _ and -');
    if (schema === undefined) return [];
    return [{ name: tool.name, description: describe(tool, maxDescriptionLength, report), schema, report }];
  });
}

/** Schema of the arguments: an object without references. */
export function schemaOf(tool: ToolView, report: Report = () => undefined): ObjectSchema {
  return toObjectRoot(toPlainSchema(tool.inputSchema, report), report);
}

function withAllowedNames(schema: ObjectSchema, { propertyName }: ApiRules, report: Report): ObjectSchema | undefined {
  if (propertyName === undefined) return schema;
  const refused = Object.keys(schema.properties).filter((name) => !propertyName.test(name));
  if (refused.length === 0) return schema;
  const names = refused.map((name) => JSON.stringify(name.slice(0, 80))).join(', ');
  if (schema.required?.some((name) => refused.includes(name))) {
    report('left-out', `Required arguments have names that the API does not allow: ${names}`);
    return undefined;
  }
  report('keyword-removed', `Arguments with names that the API does not allow are omitted: ${names}`);
  const properties = Object.entries(schema.properties).filter(([name]) => propertyName.test(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

function describe({ description = '', title }: ToolView, maxLength: number, report: Report): string {
  const text = description === '' ? (title ?? '') : description;
  if (text.length <= maxLength) return text;
  report('description-cut', `The description has ${text.length} characters and is cut to ${maxLength}`);
  // Keeps surrogate pairs whole.
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Arguments as APIs require them: an object with named properties. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
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

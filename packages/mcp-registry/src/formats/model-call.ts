import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { peekTool, toErrorResult } from '@x/internal/views';
import { checkCallOptions } from '../calls/call-options.js';
import type { RegistryView } from '../views/view.js';
import { schemaOf } from './object-schema.js';
import type { PlainSchema } from './plain-schema.js';

/** Runs a model's call. @throws As `ModelTools.run`. */
export async function runModelCall(
  view: RegistryView,
  name: string,
  given: unknown,
  options: CallToolOptions = {},
): Promise<ToolCallResult> {
  checkCallOptions(options);
  if (typeof name !== 'string')
    throw new TypeError('The call has no name; pass one tool call, not the message with it');
  try {
    const args = typeof given === 'string' ? parseArguments(name, given) : given;
    if (!isRecord(args ?? {})) throw new TypeError(`The arguments of ${name} must be an object`);
    return await view.call(name, withoutNulls(view, name, args ?? {}) as ToolArguments, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return toErrorResult(error);
  }
}

/** Models often omit `{}` for tools without arguments. */
function parseArguments(name: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new TypeError(`The arguments of ${name} are not valid JSON: ${reason}. Call it again with a JSON object.`, {
      cause,
    });
  }
}

function withoutNulls(view: RegistryView, name: string, args: unknown): unknown {
  const tool = peekTool(view, name);
  return tool === undefined || !hasNull(args) ? args : withoutFilledNulls(args, schemaOf(tool));
}

function hasNull(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  return Object.values(value).some(hasNull);
}

/** Removes `null` from optional arguments that do not allow it. Models omit arguments in this way. */
function withoutFilledNulls(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  const parts = partsOf(schema);
  if (Array.isArray(value)) {
    const items = parts.map((part) => part.items).find(isRecord);
    return items === undefined ? value : value.map((item) => withoutFilledNulls(item, items));
  }
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const known = parts.flatMap((part) => propertyOf(part, name));
    if (item !== null) return [[name, known.reduce<unknown>(withoutFilledNulls, item)]];
    const isFilledIn = known.length > 0 && !parts.every((part) => requires(part, name)) && !known.some(allowsNull);
    return isFilledIn ? [] : [[name, item]];
  });
  return Object.fromEntries(kept);
}

/** The schema and its alternatives, as far as they have properties or items. */
function partsOf(schema: PlainSchema): readonly PlainSchema[] {
  const inner = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...inner.filter(isRecord).flatMap(partsOf)].filter((part) => 'properties' in part || 'items' in part);
}

function propertyOf({ properties }: PlainSchema, name: string): readonly PlainSchema[] {
  if (!isRecord(properties) || !Object.hasOwn(properties, name)) return [];
  const property = properties[name];
  return isRecord(property) ? [property] : [];
}

function requires({ required }: PlainSchema, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function allowsNull(schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { type, enum: values, const: only, anyOf, oneOf, allOf } = schema;
  if (Array.isArray(values)) return values.includes(null);
  if ('const' in schema) return only === null;
  if (type !== undefined) return [type].flat().includes('null');
  const alternatives = [anyOf, oneOf].find(Array.isArray);
  if (alternatives !== undefined) return alternatives.some(allowsNull);
  return Array.isArray(allOf) ? allOf.every(allowsNull) : true;
}

import { isRecord } from './json/json-values.js';
import { MAP_KEYWORDS, VALUE_KEYWORDS } from './json-schema/schema-keywords.js';

/** Keyword of a tool's input schema: repeat this argument as an HTTP header. */
export const HEADER_KEYWORD = 'x-mcp-header';
/** A field name of HTTP (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PERMITTED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
interface Place {
  readonly schema: unknown;
  readonly path: string;
  /** `argument`: a property of the arguments themselves. */
  readonly kind: 'root' | 'argument' | 'elsewhere';
}

/**
 * The first fault of `x-mcp-header` in an input schema, if any. Clients over Streamable HTTP must refuse a tool with
 * one.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function headerFault(inputSchema: Readonly<Record<string, unknown>>): string | undefined {
  const names = new Set<string>();
  const open: Place[] = [{ schema: inputSchema, path: 'its input schema', kind: 'root' }];
  // A loop, since a server may nest a schema deeper than the stack.
  for (let place = open.pop(); place; place = open.pop()) {
    const { schema } = place;
    if (isRecord(schema) && Object.hasOwn(schema, HEADER_KEYWORD)) {
      const fault = faultOf(schema, place, names);
      if (fault !== undefined) return `${place.path} ${fault}`;
    }
    for (const below of placesBelow(place)) open.push(below);
  }
  return undefined;
}

function faultOf(
  { [HEADER_KEYWORD]: name, type }: Readonly<Record<string, unknown>>,
  { kind }: Place,
  names: Set<string>,
): string | undefined {
  if (kind !== 'argument') return `has "${HEADER_KEYWORD}", which only a property of the arguments themselves may have`;
  if (typeof name !== 'string' || !TOKEN.test(name)) {
    return `has "${HEADER_KEYWORD}" with ${JSON.stringify(name).slice(0, 80)}, which cannot be part of a header's name`;
  }
  if (!PERMITTED_TYPES.has(type)) return `has "${HEADER_KEYWORD}" and is not a string, integer or boolean`;
  if (names.has(name.toLowerCase()))
    return `has the "${HEADER_KEYWORD}" ${JSON.stringify(name.slice(0, 80))} of another one`;
  names.add(name.toLowerCase());
  return undefined;
}

function placesBelow({ schema, path, kind }: Place): Place[] {
  if (Array.isArray(schema)) return schema.map((each) => ({ schema: each, path, kind: 'elsewhere' as const }));
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]): Place[] => {
    if (VALUE_KEYWORDS.has(key)) return [];
    if (!MAP_KEYWORDS.has(key) || !isRecord(value)) return [{ schema: value, path, kind: 'elsewhere' }];
    const isArgument = key === 'properties' && kind !== 'elsewhere';
    return Object.entries(value).map(([name, each]) => ({
      schema: each,
      path: `"${name.slice(0, 80)}"`,
      kind: isArgument ? 'argument' : 'elsewhere',
    }));
  });
}

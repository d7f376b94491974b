import { isRecord } from '../transport/is-record.js';

/** The keyword by which a tool's input schema asks for an argument to be repeated as an HTTP header. */
export const headerKeyword = 'x-mcp-header';
/** What a field name of HTTP consists of (RFC 9110, section 5.1). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const permittedTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords that hold schemas under names of the author's choice. */
const namedSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);
/** Keywords that hold values, in which nothing is a keyword. */
const values: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

interface Place {
  readonly schema: unknown;
  /** For people: the names on the way there. */
  readonly path: string;
  /** `argument`: every call says by itself whether it has a value there. */
  readonly kind: 'root' | 'argument' | 'elsewhere';
}

/**
 * What is wrong with the arguments that a tool wants repeated as HTTP headers; `undefined` when nothing is. Over
 * Streamable HTTP a tool with a fault must not be offered.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function headerFault(inputSchema: Readonly<Record<string, unknown>>): string | undefined {
  const names = new Set<string>();
  const open: Place[] = [{ schema: inputSchema, path: 'its input schema', kind: 'root' }];
  // A loop, since a server may nest a schema deeper than a stack is.
  for (let place = open.pop(); place; place = open.pop()) {
    const { schema } = place;
    if (isRecord(schema) && Object.hasOwn(schema, headerKeyword)) {
      const fault = faultOf(schema, place, names);
      if (fault !== undefined) return `${place.path} ${fault}`;
    }
    for (const below of placesBelow(place)) open.push(below);
  }
  return undefined;
}

function faultOf(
  { [headerKeyword]: name, type }: Readonly<Record<string, unknown>>,
  { kind }: Place,
  names: Set<string>,
): string | undefined {
  if (kind !== 'argument') return `has "${headerKeyword}", which only a property of the arguments themselves may have`;
  if (typeof name !== 'string' || !token.test(name)) {
    return `has "${headerKeyword}" with ${JSON.stringify(name).slice(0, 80)}, which cannot be part of a header's name`;
  }
  if (!permittedTypes.has(type)) return `has "${headerKeyword}" and is no string, integer or boolean`;
  if (names.has(name.toLowerCase()))
    return `has the "${headerKeyword}" ${JSON.stringify(name.slice(0, 80))} of another one`;
  names.add(name.toLowerCase());
  return undefined;
}

function placesBelow({ schema, path, kind }: Place): Place[] {
  if (Array.isArray(schema)) return schema.map((each) => ({ schema: each, path, kind: 'elsewhere' as const }));
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]): Place[] => {
    if (values.has(key)) return [];
    if (!namedSchemas.has(key) || !isRecord(value)) return [{ schema: value, path, kind: 'elsewhere' }];
    const isArgument = key === 'properties' && kind !== 'elsewhere';
    return Object.entries(value).map(([name, each]) => ({
      schema: each,
      path: `"${name.slice(0, 80)}"`,
      kind: isArgument ? 'argument' : 'elsewhere',
    }));
  });
}

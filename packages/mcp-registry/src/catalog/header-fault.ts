import { isRecord } from '@x/internal/json';
import { MAP_KEYWORDS, VALUE_KEYWORDS } from '@x/internal/json-schema';

type SchemaObject = Readonly<Record<string, unknown>>;

/** Asks for an argument to be repeated as an HTTP header. */
export const HEADER_KEYWORD = 'x-mcp-header';
/** What a field name of HTTP consists of (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PERMITTED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * What is wrong with the arguments that a tool wants repeated as HTTP headers; `undefined` when nothing is. A tool with
 * such a fault is not offered: the registry's tools are served on over HTTP, where every client would have to refuse it.
 *
 * @param inputSchema - As `copyJson` gives it, so its depth is bounded.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function headerFault(inputSchema: SchemaObject): string | undefined {
  const names = new Set<string>();

  /** @param argument - Name of the argument that the schema is of; `undefined` where no call says that it has a value. */
  function walk(schema: unknown, argument: string | undefined, isRoot = false): string | undefined {
    if (Array.isArray(schema)) return firstOf(schema, (item) => walk(item, undefined));
    if (!isRecord(schema)) return undefined;
    const own = Object.hasOwn(schema, HEADER_KEYWORD) ? faultOf(schema, argument, names) : undefined;
    if (own !== undefined) return own;
    const isOnTheWay = isRoot || argument !== undefined;
    return firstOf(Object.entries(schema), ([key, value]) => {
      if (VALUE_KEYWORDS.has(key)) return undefined;
      if (!MAP_KEYWORDS.has(key) || !isRecord(value)) return walk(value, undefined);
      return firstOf(Object.entries(value), ([name, below]) =>
        walk(below, key === 'properties' && isOnTheWay ? name : undefined),
      );
    });
  }
  return walk(inputSchema, undefined, true);
}

function faultOf({ [HEADER_KEYWORD]: name, type }: SchemaObject, argument: string | undefined, names: Set<string>) {
  if (argument === undefined) return `it has "${HEADER_KEYWORD}" where only a property of the arguments may have it`;
  const place = `its argument ${JSON.stringify(argument.slice(0, 80))} has "${HEADER_KEYWORD}"`;
  if (typeof name !== 'string' || !TOKEN.test(name))
    return `${place} with a text that cannot be part of a header's name`;
  if (!PERMITTED_TYPES.has(type)) return `${place} and is no string, integer or boolean`;
  if (names.has(name.toLowerCase()))
    return `${place} with the name ${JSON.stringify(name.slice(0, 80))} of another one`;
  names.add(name.toLowerCase());
  return undefined;
}

function firstOf<Item>(items: readonly Item[], faultIn: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultIn(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

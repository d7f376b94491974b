import { HEADER_KEYWORD } from '@x/internal/headers';
import { isRecord } from '@x/internal/json';

/** What a field of HTTP can hold as it is (RFC 9110, section 5.5), as far as nothing on the way changes it. */
const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
/** How a value is marked that is packed as Base64. */
const packed = /^=\?base64\?.*\?=$/;

type Values = Readonly<Record<string, unknown>>;

/** Whether a tool wants any of its arguments repeated as headers. */
export function wantsHeaders(inputSchema: Values): boolean {
  return JSON.stringify(inputSchema).includes(`"${HEADER_KEYWORD}"`);
}

/**
 * The headers that repeat arguments of one call, as the tool's input schema asks for: what stands between client and
 * server can route by them without reading the body. An argument that is not there has none.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function paramHeaders({ properties }: Values, args: unknown): Record<string, string> {
  if (!isRecord(properties) || !isRecord(args)) return {};
  const headers: Record<string, string> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (!isRecord(schema) || !Object.hasOwn(args, name)) continue;
    const text = textOf(args[name]);
    if (typeof schema[HEADER_KEYWORD] === 'string' && text !== undefined)
      headers[`Mcp-Param-${schema[HEADER_KEYWORD]}`] = field(text);
    Object.assign(headers, paramHeaders(schema, args[name]));
  }
  return headers;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

function field(text: string): string {
  if (plain.test(text) && !packed.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

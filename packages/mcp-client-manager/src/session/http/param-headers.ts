import { HEADER_KEYWORD } from '@x/internal/headers';
import { isRecord } from '@x/internal/json';

/** Safe as a header field without encoding (RFC 9110, section 5.5). */
const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const packed = /^=\?base64\?.*\?=$/;

type Values = Readonly<Record<string, unknown>>;

export function wantsHeaders(inputSchema: Values): boolean {
  return JSON.stringify(inputSchema).includes(`"${HEADER_KEYWORD}"`);
}

/**
 * Repeats arguments of a call as the tool's input schema declares, so that proxies can route without the body.
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

import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { peekTool } from '@x/internal/views';
import type { RegistryView } from '../../views/view.js';
import type { HttpAsk } from '../http-ask.js';
import type { PlainCall } from './plain-call.js';
import { MODERN_REVISION } from './request-era.js';

/** What a property of a tool's schema has whose value a header is to repeat. */
const HEADER_KEYWORD = 'x-mcp-header';

/**
 * Whether the headers of a call say to the letter what its body says. If not, they may still agree, or are to be refused
 * for one of many reasons; the same where a tool wants further headers.
 */
export function isAgreed(ask: HttpAsk, { params: { name }, envelope }: PlainCall, view: RegistryView): boolean {
  return (
    envelope?.[PROTOCOL_VERSION_META_KEY] === MODERN_REVISION &&
    ask.header('mcp-protocol-version') === MODERN_REVISION &&
    ask.header('mcp-method') === 'tools/call' &&
    ask.header('mcp-name') === name &&
    !wantsHeaders(peekTool(view, name)?.inputSchema)
  );
}

const known = new WeakMap<object, boolean>();

function wantsHeaders(schema: object | undefined): boolean {
  if (schema === undefined) return false;
  const wants = known.get(schema) ?? mentions(schema, HEADER_KEYWORD);
  known.set(schema, wants);
  return wants;
}

function mentions(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, key));
  return isRecord(value) && (key in value || Object.values(value).some((item) => mentions(item, key)));
}

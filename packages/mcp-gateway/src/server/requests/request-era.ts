import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { HttpAsk } from '../http-ask.js';
import { plainCallOf } from './plain-call.js';

/** The one revision that has no sessions, so far. */
export const MODERN_REVISION = '2026-07-28';

/** Whether a body is for the later revisions to answer, as is what is wrong in a way that only they know of. */
export function isModernRequest(ask: HttpAsk, body: object): boolean {
  const version = ask.header('mcp-protocol-version');
  if (version === MODERN_REVISION) {
    if (isPlainlyModern(ask, body)) return true;
  } else if ((version === null || version < MODERN_REVISION) && plainCallOf(body, 'legacy') !== undefined) {
    return false;
  }
  const headers = {
    ...given('protocolVersionHeader', version),
    ...given('mcpMethodHeader', ask.header('mcp-method')),
    ...given('mcpNameHeader', ask.header('mcp-name')),
  };
  return classifyInboundRequest({ httpMethod: ask.method, ...headers, body }).kind !== 'legacy';
}

function given(name: string, value: string | null): Readonly<Record<string, string>> {
  return value === null ? {} : { [name]: value };
}

/** That what a call says of its client is as it should be can be seen at once of most. */
function isPlainlyModern(ask: HttpAsk, body: object): boolean {
  const envelope = plainCallOf(body, 'modern')?.envelope;
  return (
    envelope?.[PROTOCOL_VERSION_META_KEY] === MODERN_REVISION &&
    ask.header('mcp-method') === 'tools/call' &&
    isPlainInfo(envelope[CLIENT_INFO_META_KEY]) &&
    isEmpty(envelope[CLIENT_CAPABILITIES_META_KEY])
  );
}

function isPlainInfo(info: unknown): boolean {
  if (!isRecord(info)) return false;
  const { name, version } = info;
  return typeof name === 'string' && typeof version === 'string' && Object.keys(info).length === 2;
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

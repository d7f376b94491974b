import type { ServerRequest } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { invalidParams, JsonRpcError, methodNotFound } from '../peer/json-rpc.js';

const needed: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

export function isHandledMethod(method: string): boolean {
  return needed.has(method);
}

/** @throws {JsonRpcError} The capabilities do not cover the request. */
export function requireAnswerable(
  { method, params }: ServerRequest,
  capabilities: Readonly<Record<string, unknown>>,
): void {
  const capability = capabilities[needed.get(method) ?? ''];
  if (!isRecord(capability)) {
    throw new JsonRpcError(methodNotFound, `The client does not support "${method}"`);
  }
  if (method === 'sampling/createMessage') {
    const withTools = params.tools !== undefined || params.toolChoice !== undefined;
    if (withTools && !capability.tools) throw notSupported('sampling requests with tools');
  }
  if (method === 'elicitation/create') {
    const acceptsForms = capability.form !== undefined || capability.url === undefined; // an empty object means forms
    if (params.mode === 'url' && !capability.url) throw notSupported('elicitation requests with a URL');
    if (params.mode !== 'url' && !acceptsForms) throw notSupported('elicitation requests with a form');
  }
}

function notSupported(what: string): JsonRpcError {
  return new JsonRpcError(invalidParams, `The client does not support ${what}`);
}

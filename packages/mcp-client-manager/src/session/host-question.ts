import type { HostQuestion } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { invalidParams, JsonRpcError, methodNotFound } from './json-rpc.js';

/** The capability of a client that each request of a server needs. */
const needed: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** Whether this is a request that a host may answer at all. */
export function isHostQuestion(method: string): boolean {
  return needed.has(method);
}

/** @throws {JsonRpcError} Whoever has these capabilities does not answer that. */
export function requireAnswerable(
  { method, params }: HostQuestion,
  capabilities: Readonly<Record<string, unknown>>,
): void {
  const capability = capabilities[needed.get(method) ?? ''];
  if (!isRecord(capability)) {
    throw new JsonRpcError(methodNotFound, `This host does not answer "${method}"`);
  }
  if (method === 'sampling/createMessage') {
    const withTools = params.tools !== undefined || params.toolChoice !== undefined;
    if (withTools && !capability.tools) throw notTaken('sampling requests with tools');
  }
  if (method === 'elicitation/create') {
    const takesForms = capability.form !== undefined || capability.url === undefined; // nothing in it means forms
    if (params.mode === 'url' && !capability.url) throw notTaken('elicitation requests with a URL');
    if (params.mode !== 'url' && !takesForms) throw notTaken('elicitation requests with a form');
  }
}

function notTaken(what: string): JsonRpcError {
  return new JsonRpcError(invalidParams, `This host does not take ${what}`);
}

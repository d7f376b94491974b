import { resolve } from 'node:path';
import type { RegistryOptions } from '@x/mcp-registry';
import type { AskApproval } from '@x/mcp-registry/interceptors';
import { type AuditLog, createAuditLog } from '@x/mcp-registry/node';
import type { Io } from '../command.js';
import type { ServeOptions } from './serve-options.js';

/**
 * Loads on demand. A person approves what is sent, so that step is the last one.
 *
 * @param hold - Asks about calls of clients that cannot ask their users. Default: such calls are refused.
 */
export async function interceptorsFor(
  { maxResultTokens, askBefore }: ServeOptions,
  hold?: AskApproval,
): Promise<RegistryOptions['interceptors']> {
  if (maxResultTokens === undefined && askBefore === undefined) return undefined;
  const { approveCalls, limitResults } = await import('@x/mcp-registry/interceptors');
  const ask = ['elicitation' as const, ...(hold === undefined ? [] : [hold])];
  return [
    ...(maxResultTokens === undefined ? [] : [limitResults({ maxTokens: maxResultTokens })]),
    ...(askBefore === undefined ? [] : [approveCalls({ ask, rules: { tools: askBefore } })]),
  ];
}

export function openAudit(
  { audit }: ServeOptions,
  { cwd }: Pick<Io, 'cwd'>,
  onError: (error: Error) => void,
): AuditLog | undefined {
  return audit === undefined ? undefined : createAuditLog({ path: resolve(cwd, audit), onError });
}

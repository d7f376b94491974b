import type { Config, Redactor } from '@x/mcp-config-schema';
import type { Io } from '../io.js';

export const checkNames = [
  'runtime',
  'path',
  'config',
  'consent',
  'command',
  'address',
  'secret',
  'permissions',
  'lock',
  'orphan',
  'daemon',
  'fleet',
  'port',
] as const;

export type CheckName = (typeof checkNames)[number];

/** What one look at the machine came to. What is not well comes with what would help. */
export type Finding = { readonly check: CheckName; readonly message: string } & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning' | 'error'; readonly fix: string }
);

/** What the checks look at. */
export interface Patient {
  readonly io: Io;
  /** Config files or directories, as they were named on the command line. */
  readonly config?: readonly string[] | undefined;
  /** The config as far as it can be used; `undefined` when it cannot. */
  readonly loaded?: Config | undefined;
  readonly redactor?: Redactor | undefined;
}

export function ok(check: CheckName, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: CheckName, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix };
}

export function error(check: CheckName, message: string, fix: string): Finding {
  return { check, status: 'error', message, fix };
}

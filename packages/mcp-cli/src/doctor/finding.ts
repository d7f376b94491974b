import type { Config, Redactor } from '@x/mcp-config-schema';
import type { Io } from '../command.js';

const checkNames = [
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

type CheckName = (typeof checkNames)[number];

export type Finding = { readonly check: CheckName; readonly message: string } & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning' | 'error'; readonly fix: string }
);

export interface CheckContext {
  readonly io: Io;
  /** Config files or directories as named on the command line. */
  readonly config?: readonly string[] | undefined;
  /** The usable parts of the config; `undefined` if there are none. */
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

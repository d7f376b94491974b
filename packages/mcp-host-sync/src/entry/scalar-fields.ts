import { printable } from '@x/internal/text';
import type { EntryFormat, TimeoutField, ToggleField } from '../adapters/host-adapter.js';
import { type EntryFields, isObject } from '../edit/document.js';
import type { HostFault } from '../host-issue.js';
import type { HostServer, HostStdioServer } from '../host-server.js';

export function toggleFields(
  { enabled = true }: HostServer,
  toggle: ToggleField | undefined,
  faults: HostFault[],
): EntryFields {
  if (toggle !== undefined) {
    if (enabled && toggle.always !== true) return {};
    const state = enabled === (toggle.means === 'enabled');
    return { [toggle.field]: toggle.key === undefined ? state : { [toggle.key]: state } };
  }
  if (!enabled) {
    const message = 'This host cannot store a disabled server and would start it';
    faults.push({
      code: 'field-not-supported',
      severity: 'error',
      message,
      hint: 'leave the server out of this host',
    });
  }
  return {};
}

export function timeoutFields(
  { timeoutMs, transport }: HostServer,
  timeout: TimeoutField | undefined,
  faults: HostFault[],
): EntryFields {
  if (timeoutMs === undefined) return {};
  const value = timeout === undefined ? undefined : inUnit(timeoutMs, timeout);
  const [least, most] = timeout?.range ?? [0, Number.MAX_SAFE_INTEGER];
  const isSupported = value !== undefined && value >= least && value <= most;
  if (isSupported && timeout !== undefined && (timeout.remoteOnly !== true || transport !== 'stdio')) {
    return { [timeout.field]: timeout.key === undefined ? value : { [timeout.key]: value } };
  }
  const message = 'This host has no field for this time limit and applies its own';
  faults.push({ code: 'field-not-supported', severity: 'warning', message });
  return {};
}

/** Reports empty variables that the server would not get. */
export function emptyVariableFault(
  { env = {} }: HostStdioServer,
  emptyEnv: EntryFormat['stdio']['emptyEnv'],
  faults: HostFault[],
): void {
  const names = Object.keys(env).filter((name) => env[name] === '');
  if (emptyEnv === undefined || names.length === 0) return;
  const named = names.map(printable).join(', ');
  if (emptyEnv === 'dropped') {
    const message = `This host starts the server without the empty ${named} of its environment`;
    faults.push({ code: 'field-not-supported', severity: 'warning', message });
    return;
  }
  const message = `This host reads the empty ${named} of the environment as its own variable of that name, and cannot start the server without one`;
  const hint = 'remove the variable from the server, or give it a value';
  faults.push({ code: 'field-not-supported', severity: 'error', message, hint });
}

/** Reports variables that the host never sets. */
export function ignoredVariableFault(
  { env = {} }: HostStdioServer,
  ignored: readonly string[] = [],
  faults: HostFault[],
): void {
  const known = new Set(ignored.map((name) => name.toUpperCase()));
  const names = Object.keys(env).filter((name) => known.has(name.toUpperCase()));
  if (names.length === 0) return;
  const message = `This host does not set ${names.map(printable).join(', ')} for a server, for reasons of security`;
  const hint = 'write the gateway entry instead (mcpx sync --gateway), which sets it, or remove the variable';
  faults.push({ code: 'field-not-supported', severity: 'error', message, hint });
}

/** Warns that tool lists are not written: users set them in the host. */
export function toolListFaults({ allowedTools, deniedTools = [] }: HostServer, faults: HostFault[]): void {
  if (allowedTools === undefined && deniedTools.length === 0) return;
  const lists = [...(allowedTools ? ['allowed_tools'] : []), ...(deniedTools.length > 0 ? ['denied_tools'] : [])];
  const message = `This host may offer every tool of the server, because ${lists.join(' and ')} cannot be written`;
  const hint =
    'disable the tools in the host, or write the gateway entry instead (mcpx sync --gateway), which applies the lists';
  faults.push({ code: 'field-not-supported', severity: 'warning', message, hint });
}

/** The time limit of an entry in milliseconds. */
export function timeoutOf(entry: EntryFields, { field, key, unit }: TimeoutField): number | undefined {
  const value = entry[field];
  const limit = key === undefined ? value : isObject(value) ? value[key] : undefined;
  if (typeof limit !== 'number') return undefined;
  return unit === 'ms' ? limit : limit * 1_000;
}

function inUnit(timeoutMs: number, { unit }: TimeoutField): number {
  if (unit === 'ms') return timeoutMs;
  return unit === 's' ? Math.ceil(timeoutMs / 1_000) : timeoutMs / 1_000;
}

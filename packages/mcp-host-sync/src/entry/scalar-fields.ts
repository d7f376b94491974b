import type { TimeoutField, ToggleField } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document.js';
import type { HostFault } from '../host-issue.js';
import type { HostServer } from '../host-server.js';

export function toggleFields(
  { enabled = true }: HostServer,
  toggle: ToggleField | undefined,
  faults: HostFault[],
): EntryFields {
  if (toggle !== undefined) {
    return enabled && toggle.always !== true ? {} : { [toggle.field]: enabled === (toggle.means === 'enabled') };
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
    return { [timeout.field]: value };
  }
  const message = 'This host has no field for this time limit and applies its own';
  faults.push({ code: 'field-not-supported', severity: 'warning', message });
  return {};
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

export function fromUnit(value: number, { unit }: TimeoutField): number {
  return unit === 'ms' ? value : value * 1_000;
}

function inUnit(timeoutMs: number, { unit }: TimeoutField): number {
  if (unit === 'ms') return timeoutMs;
  return unit === 's' ? Math.ceil(timeoutMs / 1_000) : timeoutMs / 1_000;
}

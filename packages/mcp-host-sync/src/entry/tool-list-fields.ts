import { allowsTool } from '@x/internal/server-fields';
import { printable } from '@x/internal/text';
import type { ToolLists } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document.js';
import type { HostFault } from '../host-issue.js';
import type { HostServer } from '../host-server.js';

/** A server's lists of tools in a host's fields. */
type ToolListFields =
  /** Empty: the host may offer every tool. */
  | { readonly fields: EntryFields }
  /** The host cannot express the lists, or no tool is left. It must not have the server. */
  | { readonly fault: HostFault };

/**
 * Writes a server's lists as one list of the host. Hosts differ in which of two lists wins, so both are never written: a
 * list of allowed names is written without the denied ones.
 */
export function toolListFields(server: HostServer, known: ToolLists | undefined): ToolListFields {
  const lists = known?.readOnly === true ? undefined : known;
  const { allowedTools, deniedTools = [] } = server;
  const isUnrestricted = allowedTools === undefined || allowedTools.includes('*');
  if (isUnrestricted && deniedTools.length === 0) return { fields: {} };
  if (isUnrestricted) return deniedFields(deniedTools, lists);

  const patterns = allowedTools.filter(isPattern);
  if (patterns.length > 0 && deniedTools.length > 0) {
    return { fault: notExpressed('both patterns of allowed tools and denied tools', [...patterns, ...deniedTools]) };
  }
  if (patterns.length > 0 && lists?.star !== 'any-text') {
    return { fault: notExpressed('patterns of tools', patterns) };
  }
  const left = allowedTools.filter((tool) => allowsTool({ allowedTools: undefined, deniedTools }, tool));
  if (left.length === 0) {
    const message = 'No tool of this server is allowed, so the server is left out';
    return { fault: { code: 'field-not-supported', severity: 'warning', message } };
  }
  const [field] = lists?.allowed ?? [];
  if (field === undefined) return { fault: notExpressed('a list of allowed tools', left) };
  return { fields: placed(lists, field, left) };
}

function deniedFields(denied: readonly string[], lists: ToolLists | undefined): ToolListFields {
  const [field] = lists?.denied ?? [];
  if (field === undefined) return { fault: notExpressed('a list of denied tools', denied) };
  const patterns = denied.filter(isPattern);
  if (patterns.length > 0) return { fault: notExpressed('patterns of denied tools', patterns) };
  return { fields: placed(lists, field, denied) };
}

function placed(lists: ToolLists | undefined, field: string, tools: readonly string[]): EntryFields {
  const list = { [field]: [...tools] };
  return lists?.inside === undefined ? list : { [lists.inside]: list };
}

function notExpressed(what: string, tools: readonly string[]): HostFault {
  const message = `This host has no field for ${what} (${tools.map(printable).join(', ')}), so the server is left out`;
  const hint = 'write the gateway entry instead (mcpx sync --gateway), which applies the lists';
  return { code: 'field-not-supported', severity: 'error', message, hint };
}

function isPattern(tool: string): boolean {
  return tool.includes('*');
}

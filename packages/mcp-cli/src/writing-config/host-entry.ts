import { escapeTemplate } from '@x/mcp-config-schema';
import type { HostServer } from '@x/mcp-host-sync';

/** A server as `mcp_servers.yaml` has it. */
export interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowed_tools?: readonly string[];
  readonly denied_tools?: readonly string[];
}

/** The entry that starts or reaches a server as a host app does. */
export function hostEntry(server: HostServer): ServerEntry {
  if (server.transport !== 'stdio') {
    const { url, headers = {} } = server;
    return { url: asTemplate(url), ...filled('headers', asTemplates(headers)), ...toolLists(server) };
  }
  const { command, args = [], env = {}, cwd } = server;
  // Without "args" the command would be split as a shell does.
  const hasArgs = args.length > 0 || /[^\w@%+=:,./-]/.test(command);
  return {
    command: asTemplate(command),
    ...(hasArgs && { args: args.map(asTemplate) }),
    ...filled('env', asTemplates(env)),
    ...(cwd !== undefined && { cwd: asTemplate(cwd) }),
    ...toolLists(server),
  };
}

function toolLists({ name, allowedTools, deniedTools = [] }: HostServer): ServerEntry {
  // A tool of ours may be written with its server before it, which is taken off again.
  const inFull = (tool: string): string => (tool.startsWith(`${name}.`) ? `${name}.${tool}` : tool);
  return {
    ...(allowedTools && { allowed_tools: allowedTools.map(inFull) }),
    ...(deniedTools.length > 0 && { denied_tools: deniedTools.map(inFull) }),
  };
}

function filled<Key extends string>(key: Key, values: Readonly<Record<string, string>>): Record<string, object> {
  return Object.keys(values).length === 0 ? {} : { [key]: values };
}

function asTemplates(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asTemplate(value)]));
}

/** Variables are spelled alike on both sides; `{{…}}` is text to a host and something else to us. */
function asTemplate(text: string): string {
  return text.replace(
    /(\$\$\{|\$\{[^}]*\})|\{\{/g,
    (found, variable: string | undefined) => variable ?? escapeTemplate(found),
  );
}

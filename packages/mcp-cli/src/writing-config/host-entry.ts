import { escapeTemplate } from '@x/mcp-config-schema/templates';
import type { HostServer } from '@x/mcp-host-sync';

/** A server in the form of `mcp_servers.yaml`. */
export interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly type?: 'sse';
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowed_tools?: readonly string[];
  readonly denied_tools?: readonly string[];
}

/** The entry that starts or connects to a server like a host app does. */
export function hostEntry(server: HostServer): ServerEntry {
  if (server.transport !== 'stdio') {
    const { url, transport, headers = {} } = server;
    return {
      url: asTemplate(url),
      ...(transport === 'sse' && { type: transport }),
      ...filled('headers', asTemplates(headers)),
      ...toolLists(server),
    };
  }
  const { command, args = [], env = {}, cwd } = server;
  // Without "args" the command would be split like a shell command.
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
  // The config strips a server prefix from tool names, so a name that begins with it gets one more.
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

/** Both sides write variables alike; `{{…}}` is text to a host app but a template in a config. */
function asTemplate(text: string): string {
  return text.replace(
    /(\$\$\{|\$\{[^}]*\})|\{\{/g,
    (found, variable: string | undefined) => variable ?? escapeTemplate(found),
  );
}

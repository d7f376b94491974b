import { isGatewayServer } from '@x/internal/launch';
import type { CommandCheck } from '@x/mcp-client-manager/diagnose';
import type { ConfigIssue, ServerConfig, SourcePosition, StdioServerConfig } from '@x/mcp-config-schema';
import type { FilesCheck } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import { trustsEverything } from '../consent/obtain-consent.js';
import { waitingIn } from '../consent/prompt-consent.js';
import { inCommandWords } from '../output/command-words.js';
import { checkProgram } from '../servers/installed.js';

type Checked = Pick<FilesCheck, 'config' | 'partial' | 'issues' | 'launches' | 'origins'>;

/** A warning for each server whose command cannot be run here, as the system would look it up. Runs nothing. */
export async function commandIssues(checked: Checked, io: Io): Promise<readonly ConfigIssue[]> {
  const servers: readonly ServerConfig[] = (checked.config ?? checked.partial)?.servers ?? [];
  const waiting = trustsEverything(io.env) ? [] : await waitingIn({ ...checked, servers }, io);
  const untrusted = new Set(waiting.map(({ server }) => server));
  const found = servers.filter(canBeChecked).map(async (server) => {
    const asked = untrusted.has(server.name) ? withoutPaths(server) : server;
    return asked && issueOf(server, await checkProgram(asked, io.env), checked);
  });
  return (await Promise.all(found)).filter((issue) => issue !== undefined);
}

/** A server without its variables is reported for those, and its command may contain one. */
function canBeChecked(server: ServerConfig): server is StdioServerConfig {
  const { transport, disabled, unsetVariables } = server;
  return transport === 'stdio' && !disabled && unsetVariables === undefined && !isGatewayServer(server);
}

/**
 * Only a program of the user's own PATH can be looked for without consent: looking at a path that a project names, such
 * as a network path, would already notify its author.
 */
function withoutPaths(server: StdioServerConfig): StdioServerConfig | undefined {
  return /[/\\:]/.test(server.command) ? undefined : { ...server, cwd: undefined, env: {} };
}

function issueOf(
  { name, command, cwd = '', source }: StdioServerConfig,
  check: CommandCheck,
  { origins }: Checked,
): ConfigIssue | undefined {
  if (check.status === 'found') return undefined;
  const isDirectory = check.status === 'directory-not-found';
  const key = isDirectory ? 'cwd' : 'command';
  const message = isDirectory
    ? `The directory ${JSON.stringify(cwd)} of this server does not exist`
    : `The command ${JSON.stringify(command)} ${check.status === 'command-not-found' ? 'was not found' : 'is not executable'}`;
  const place: SourcePosition = origins.get(`mcp_servers.${name}.${key}`) ?? source;
  return {
    code: 'missing-command',
    severity: 'warning',
    message,
    hint: inCommandWords(check.hint),
    command,
    file: place.file,
    line: place.line,
    column: place.column,
    path: ['mcp_servers', name, key],
  };
}

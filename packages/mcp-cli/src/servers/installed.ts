import { installHint, npmPackageOf } from '@x/internal/launch';
import { isPackageHere, npxPackage } from '@x/internal/processes';
import { type CommandCheck, checkCommand } from '@x/mcp-client-manager/diagnose';
import type { ServerConfig, ServerFacts, StdioServerConfig } from '@x/mcp-config-schema';
import type { Io } from '../command.js';

type Environment = Io['env'];

/** Looks for the commands and packages of servers, by server name. Runs none. */
export async function installFacts(
  servers: readonly ServerConfig[],
  env: Environment,
): Promise<Readonly<Record<string, ServerFacts>>> {
  const facts = servers.map(async (server) => [server.name, await factsOf(server, env)] as const);
  return Object.fromEntries(await Promise.all(facts));
}

async function factsOf(server: ServerConfig, env: Environment): Promise<ServerFacts> {
  if (server.transport !== 'stdio') return {};
  const check = await checkProgram(server, env);
  if (check.status !== 'found') return { installed: false, installHint: check.hint };
  return { installed: true, downloaded: await isDownloaded(server, env) };
}

/** Like `checkCommand`, with a hint that fits the entry of the server. */
export async function checkProgram(server: StdioServerConfig, env: Environment): Promise<CommandCheck> {
  const { command, cwd, env: variables } = server;
  const check = await checkCommand({ command, cwd, env: variables, environment: { ...env } });
  return check.status === 'command-not-found' ? { ...check, hint: hintFor(server, check) } : check;
}

function hintFor(
  server: StdioServerConfig,
  { hint, elsewhere }: CommandCheck & { status: 'command-not-found' },
): string {
  const [place] = elsewhere;
  if (place !== undefined) {
    return `it is at ${place}, which is not on PATH: write that path as "command", or add its directory to PATH`;
  }
  const isPath = /[/\\]/.test(server.command);
  return server.package === undefined || isPath ? hint : installHint(server);
}

/** `undefined` for servers without an npm package that their command downloads. */
async function isDownloaded(server: StdioServerConfig, env: Environment): Promise<boolean | undefined> {
  const name = npmPackageOf(server);
  return name === undefined ? undefined : await isPackageHere(name, { cwd: server.cwd, env });
}

/** The npm package that the start of the server downloads first. `undefined` if it is here, or the server has none. */
export async function packageToDownload(server: StdioServerConfig, env: Environment): Promise<string | undefined> {
  const name = npmPackageOf(server) ?? npxPackage(server.command, server.args);
  return name === undefined || (await isPackageHere(name, { cwd: server.cwd, env })) ? undefined : name;
}

import { readdir } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { exists } from '@x/internal/files';
import { installHint, npmPackageOf } from '@x/internal/launch';
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
  return name === undefined ? undefined : await isFound(name, server, env);
}

/** The npm package that the start of the server downloads first. `undefined` if it is here, or the server has none. */
export async function packageToDownload(server: StdioServerConfig, env: Environment): Promise<string | undefined> {
  const name = npmPackageOf(server) ?? npxPackage(server);
  return name === undefined || (await isFound(name, server, env)) ? undefined : name;
}

/** The first word of `npx` that is no option, if no option before it has a value. */
function npxPackage({ command, args }: StdioServerConfig): string | undefined {
  if (!/(?:^|[\\/])npx(?:\.cmd)?$/.test(command)) return undefined;
  const word = args.find((each) => !/^(?:-y|-q|--yes|--quiet)$/.test(each)) ?? '';
  return /^(?:@[\w.~-]+\/)?\w[\w.~-]*(?:@[\w.^~+-]+)?$/.test(word) ? word : undefined;
}

async function isFound(name: string, server: StdioServerConfig, env: Environment): Promise<boolean> {
  const withoutVersion = name.replace(/(?<=.)@[^/]*$/, '');
  for (const place of await packagePlaces(server, env))
    if (await exists(join(place, withoutVersion, 'package.json'))) return true;
  return false;
}

/** Directories of packages: of the project, of the system, and of the cache of npx. */
async function packagePlaces({ cwd = '.' }: StdioServerConfig, env: Environment): Promise<readonly string[]> {
  const above: string[] = [];
  for (let current = resolve(cwd); above.at(-1) !== current; current = dirname(current)) above.push(current);
  const programs = (env.PATH ?? env.Path ?? '').split(delimiter).filter((directory) => directory !== '');
  const home = env.HOME ?? env.USERPROFILE ?? '';
  const caches = [env.npm_config_cache, join(home, '.npm'), join(env.LOCALAPPDATA ?? home, 'npm-cache')];
  const cached = await Promise.all(
    caches.map(async (cache = '') => {
      const runs = join(cache, '_npx');
      return (await readdir(runs).catch(() => [])).map((name) => join(runs, name));
    }),
  );
  return [
    ...[...above, ...programs, ...cached.flat()].map((directory) => join(directory, 'node_modules')),
    ...programs.map((directory) => join(directory, '..', 'lib', 'node_modules')),
  ];
}

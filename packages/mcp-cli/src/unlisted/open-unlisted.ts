import { isGatewayServer } from '@x/internal/launch';
import { checkConfig, formatIssue } from '@x/mcp-config-schema';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
import { escapeTemplate } from '@x/mcp-config-schema/templates';
import { type Io, UsageError } from '../command.js';
import { openStack } from '../compose.js';
import type { Control } from '../control/control.js';
import { createLocalControl } from '../control/local-control.js';
import { signIns } from '../signing-in/sign-ins.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import { writtenEntry } from '../writing-config/written-entry.js';
import type { UnlistedServer } from './target.js';

/**
 * A server that is in no config, in this process and not yet started. Disposal stops it. The user has typed what it runs, which is
 * consent. Nothing of it is stored; sign-ins are those of `mcpx login`.
 *
 * @throws {UsageError} The words do not describe a server, or name a variable that is not set.
 */
export async function openUnlisted(
  options: UnlistedServer,
  io: Io,
): Promise<{ readonly control: Control; readonly server: string } & AsyncDisposable> {
  const { config, name } = unlistedConfig(options, io);
  const stack = await openStack({ loaded: config, auth: signIns(io) }, { ...io, stateDirectory: undefined });
  const control = createLocalControl(stack, { isUnlisted: true });
  return { control, server: name, [Symbol.asyncDispose]: () => control[Symbol.asyncDispose]() };
}

/** A config with this server alone, as if the user's own config had it. */
export function unlistedConfig(
  { target, env, header, timeout }: UnlistedServer,
  { cwd, env: variables }: Pick<Io, 'cwd' | 'env'>,
): { readonly config: LoadedConfig; readonly name: string } {
  const words = /^[a-z]+:\/\//i.test(target.trim()) ? target.trim().split(/\s+/) : [target.trim()];
  const entry = writtenEntry({ target: words, env, header });
  const name = nameOf(entry);
  const inDirectory = entry.url === undefined ? { cwd: escapeTemplate(cwd) } : {};
  const text = JSON.stringify({
    mcp_servers: { [name]: { ...entry, ...inDirectory, auto_start: true } },
  });
  const check = checkConfig({ text, file: 'command line', layer: 'user' }, { variables });
  const [server] = check.config?.servers ?? [];
  if (check.config === undefined || server === undefined) throw asUsageError(check.issues);
  if (isGatewayServer(server)) {
    throw new UsageError('This server is mcpx itself, which would start the servers of the config once more.', {
      hint: 'Name a tool as "mcpx search" lists it, or run "mcpx discover <server>".',
    });
  }
  const launches = new Map(Array.from(check.launches, ([key, launch]) => [key, { ...launch, root: cwd }]));
  const servers = [{ ...server, limits: { ...server.limits, ...(timeout !== undefined && startLimits(timeout)) } }];
  return { name, config: { ...check.config, servers, issues: [], launches, redactor: check.redactor } };
}

/** Within the bounds of a config. */
function startLimits(seconds: number) {
  const within = (most: number): number => Math.min(Math.max(seconds * 1_000, 1_000), most);
  return { startupTimeoutMs: within(60_000), firstRunTimeoutMs: within(3_600_000) };
}

function asUsageError(issues: ReturnType<typeof checkConfig>['issues']): UsageError {
  const [first, ...others] = issues.filter(({ severity }) => severity === 'error');
  if (first?.code === 'unset-variable') {
    return new UsageError(`The variable ${first.variable} is not set.`, {
      hint: 'Set it in the environment. Where no variable is meant, write $${ for ${',
    });
  }
  return new UsageError(`The server cannot be used: ${first?.message ?? 'its description has no server'}.`, {
    hint: first?.hint,
    details: others.map((issue) => formatIssue(issue)),
  });
}

/** Such as `server-everything` of `npx -y @scope/server-everything@1.0.0`, or the host of a URL. */
function nameOf({ command = '', args = [], url }: ServerEntry): string {
  if (url !== undefined) return plain(hostOf(url)) || 'server';
  const words = [command, ...args].filter((word) => !word.startsWith('-') && !/[=${}]/.test(word));
  const names = words.map((word) => plain(baseOf(word))).filter((word) => /[a-z]/i.test(word) && !runners.has(word));
  return names[0] ?? 'server';
}

function hostOf(url: string): string {
  return /^https?:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(url)?.[1] ?? '';
}

/** The last part of a path that says something: `server` of `server/dist/index.js`. */
function baseOf(word: string): string {
  const parts = word
    .split(/[/\\]/)
    .map((part) => part.replace(/(?<=.)@.*$/, '').replace(/\.(?:[cm]?[jt]s|py|exe|cmd)$/i, ''));
  return (
    parts.findLast(
      (part) => part !== '' && !['dist', 'build', 'bin', 'src', 'index', 'main', '.', '..'].includes(part),
    ) ?? ''
  );
}

function plain(text: string): string {
  return text
    .replace(/[^A-Za-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
}

const runners: ReadonlySet<string> = new Set(
  'npx npm pnpm dlx exec yarn bunx bun x uvx uv pipx run node deno python python3 docker podman env sh bash tsx'.split(
    ' ',
  ),
);

import { createConnection } from 'node:net';
import { type ConfigIssue, isConfigError, type ServerConfig } from '@x/mcp-config-schema';
import type { AskedConfig } from '@x/mcp-config-schema/consent';
import { checkFiles, type FilesCheck } from '@x/mcp-config-schema/load';
import { checkSecrets } from '@x/mcp-config-schema/secrets';
import { configSource } from '../config/config-source.js';
import { trustsEverything } from '../consent/obtain-consent.js';
import { waitingIn } from '../consent/prompt-consent.js';
import { inCommandWords } from '../output/command-words.js';
import { counted } from '../output/print.js';
import { checkProgram } from '../servers/installed.js';
import { bareAddress } from '../serving/bind-address.js';
import { type CheckContext, error, type Finding, ok, warning } from './finding.js';

interface CheckedConfig extends Pick<CheckContext, 'loaded' | 'redactor'> {
  readonly findings: readonly Finding[];
  /** Servers of `loaded` without consent. */
  readonly waiting?: ReadonlySet<string> | undefined;
}

export async function checkConfigFiles({ io, config: files }: CheckContext): Promise<CheckedConfig> {
  let check: FilesCheck;
  try {
    check = await checkFiles(configSource(files, io));
  } catch (cause) {
    if (!isConfigError(cause)) throw cause;
    const [message = ''] = cause.message.split('\n');
    const fix = cause.code === 'config-not-found' ? 'run "mcpx init" to write one' : 'make the file readable text';
    return { findings: [error('config', message, fix)] };
  }
  const { issues, config, partial, redactor, texts } = check;
  const { servers } = config ?? partial ?? { servers: [] };
  const waiting = await waitingServers({ ...check, servers }, io);
  const summary = `${[...texts.keys()].join(', ')}: ${counted(servers.length, 'server')}`;
  const findings = issues.length === 0 ? [ok('config', summary)] : issues.map(issueFinding);
  return { findings: [...findings, ...consentFinding(waiting)], loaded: config ?? partial, waiting, redactor };
}

async function waitingServers(config: AskedConfig, io: CheckContext['io']): Promise<ReadonlySet<string>> {
  if (trustsEverything(io.env)) return new Set();
  return new Set((await waitingIn(config, io)).map(({ server }) => server));
}

/** Connecting to an address or reading a path of an untrusted config would already notify its author. */
function consentFinding(waiting: ReadonlySet<string>): readonly Finding[] {
  if (waiting.size === 0) return [];
  const names = [...waiting].join(', ');
  const message = `these servers need your consent, so their commands, addresses and secrets are not checked: ${names}`;
  return [warning('consent', message, 'run "mcpx trust" to see what they run and to give consent')];
}

function issueFinding({ severity, code, file, line, column, message, hint }: ConfigIssue): Finding {
  const place = file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
  const fix = hint ?? 'run "mcpx validate" to see the lines around it';
  return (severity === 'error' ? error : warning)('config', `${place} ${code} ${message}`, fix);
}

/** Checks that the command of each server exists. Runs none. */
export async function checkCommands({ loaded, io }: CheckContext): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const server of enabledIn(loaded)) {
    if (server.transport !== 'stdio') continue;
    const { name } = server;
    const found = await checkProgram(server, io.env);
    if (found.status === 'found') findings.push(ok('command', `${name}: ${found.file}`));
    else
      findings.push(
        error('command', `${name}: ${problems[found.status]}: ${placeOf(server)}`, inCommandWords(found.hint)),
      );
  }
  return findings;

  function placeOf({ command, cwd }: { readonly command: string; readonly cwd?: string | undefined }): string {
    return cwd === undefined ? command : `${command} in ${cwd}`;
  }
}

const problems = {
  'command-not-found': 'the command was not found',
  'command-not-executable': 'the file is not executable',
  'directory-not-found': 'its directory does not exist',
} as const;

/** Schemes that run a program or prompt the user. */
const interactive = /^(command|keychain):/;

/** Checks that references of servers resolve. Skips those that run a program or open a keychain. Keeps no value. */
export async function checkServerSecrets({ loaded, io, redactor }: CheckContext): Promise<readonly Finding[]> {
  const servers = enabledIn(loaded);
  const all = servers.flatMap(({ secrets = [] }) => secrets);
  if (all.length === 0) return [];
  const later = all.filter(({ reference }) => interactive.test(reference)).length;
  const checked = servers.map((server) => ({
    ...server,
    secrets: server.secrets?.filter(({ reference }) => !interactive.test(reference)),
  }));
  const { issues } = await checkSecrets(checked, { env: io.env, signal: io.signal, redactor });
  const count = all.length - later - issues.length;
  return [
    ...(count > 0 ? [ok('secret', `${counted(count, 'secret')} can be resolved`)] : []),
    ...(later > 0
      ? [
          ok(
            'secret',
            `${counted(later, 'secret')} not checked: a program or the keychain provides it when the server starts`,
          ),
        ]
      : []),
    ...issues.map(({ message, hint }) =>
      error('secret', message, hint ?? 'put it where the reference says, or change the reference'),
    ),
  ];
}

/** A server is often disabled because its program or secret is missing. */
function enabledIn(loaded: CheckContext['loaded']): readonly ServerConfig[] {
  return (loaded?.servers ?? []).filter(({ disabled }) => !disabled);
}

/** Time limit of a connection attempt, in milliseconds. */
const connectMs = 5_000;

/** Connects to each server with a URL. Sends nothing, so it does not detect if a sign-in is required. */
export async function checkAddresses({ loaded, io }: CheckContext): Promise<readonly Finding[]> {
  const servers = (loaded?.servers ?? []).flatMap((server) => (server.transport === 'stdio' ? [] : [server]));
  const findings = servers.map(({ name, url }) => addressFinding(name, url, io));
  return Promise.all(findings);
}

async function addressFinding(name: string, text: string, { env, signal }: CheckContext['io']): Promise<Finding> {
  const how = `"mcpx discover ${name} --refresh" tests it`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return warning('address', `${name}: its URL is invalid, so it was not checked`, 'write the whole URL');
  // An address that the proxy reaches may be unreachable from here.
  if (env.NODE_USE_ENV_PROXY) return ok('address', `${name}: not checked, because requests go to a proxy; ${how}`);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const place = `${url.hostname}:${port}`;
  const fault = await connectFault({ host: bareAddress(url.hostname), port }, signal);
  signal.throwIfAborted();
  if (fault === undefined) return ok('address', `${name}: ${place} accepts connections; ${how}`);
  return error(
    'address',
    `${name}: ${place} cannot be reached (${fault})`,
    'check its "url", the network, and that it is running',
  );
}

/** @returns The system's error code; `undefined` on success. */
function connectFault(
  place: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ ...place, timeout: connectMs, signal });
    const settle = (fault?: string): void => {
      resolve(fault);
      socket.destroy();
    };
    socket.once('connect', () => settle());
    socket.once('timeout', () => settle(`no answer within ${connectMs / 1_000} s`));
    socket.on('error', (cause: NodeJS.ErrnoException) => settle(cause.code ?? cause.message));
  });
}

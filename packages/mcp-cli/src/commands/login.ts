import { loadConfig } from '@x/mcp-config-schema/load';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { openStack } from '../compose.js';
import { configSource } from '../config/config-source.js';
import { requireServer } from '../config/read-config.js';
import { obtainConsent, withTrustedStarts } from '../consent/obtain-consent.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { counted, printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { forgetSignIn, signIns, signInsFile } from '../signing-in/sign-ins.js';
import { unlistedConfig } from '../unlisted/open-unlisted.js';
import { isTarget } from '../unlisted/target.js';

export interface LoginOptions extends CommonOptions {
  readonly server: string;
  /** Redirect port on 127.0.0.1. Default: any free port. */
  readonly port?: number;
  /** Time limit for the sign-in, in seconds. */
  readonly timeout: number;
  /** `false`: prints the address without opening a browser. */
  readonly browser?: boolean;
}

/** Stores the tokens for all later commands. */
export async function login(options: LoginOptions, io: Io): Promise<ExitCode> {
  const { server, port, timeout, browser = true, json } = options;
  const { stateDirectory } = io;
  if (stateDirectory === undefined) throw noPlaceForSignIns();
  const openUrl = (url: URL): Promise<void> => showPage(url, browser, io);
  const auth = signIns(io, { openUrl, redirectPort: port, timeoutMs: timeout * 1_000 });
  const unlisted = isTarget(server) ? unlistedConfig({ target: server }, io) : undefined;
  if (unlisted === undefined) await obtainConsent({ ...options, servers: [server] }, io);
  const servers = unlisted === undefined ? { config: options.config, servers: [server] } : { loaded: unlisted.config };
  await using stack = await openStack({ ...servers, auth }, io);
  const managed = stack.manager.server(unlisted?.name ?? server);
  await managed.authorize({ signal: io.signal });
  const { tools } = managed.status;
  if (json) printJson({ server, signedIn: true, tools, file: signInsFile(stateDirectory) }, io);
  else {
    const { green, bold } = stylesFor(io.stdout, io);
    const offer = counted(tools, 'tool');
    io.stdout.write(`${green('✓')} Signed in to ${bold(printableLine(server, 200))}, which offers ${offer}\n`);
  }
  if (unlisted === undefined) await restartInDaemon(options, io);
  return exitCodes.ok;
}

function noPlaceForSignIns(): CommandError {
  return new CommandError(exitCodes.failed, 'There is no directory to store sign-ins in.', {
    hint: 'Set HOME to a directory of yours.',
  });
}

/** Restarts the server in the daemon, so that it connects with the stored tokens. */
async function restartInDaemon({ config, server }: Pick<LoginOptions, 'config' | 'server'>, io: Io): Promise<void> {
  await using control = await findDaemon({ config }, io);
  if (!control) return;
  const { servers } = await control.status({ signal: io.signal });
  const row = servers.find(({ name }) => name === server);
  if (row && row.state !== 'stopped')
    await withTrustedStarts(control, io).restart({ servers: [server], signal: io.signal });
}

/** Always prints the address, because the browser that opens may not be the one that the user wants. */
async function showPage(url: URL, browser: boolean, { stderr, openPage }: Io): Promise<void> {
  const isOpen = browser && (await openPage?.(url)) === true;
  const how = isOpen ? 'The sign-in page has been opened. If you do not see it, open' : 'Sign in on this page';
  const back = new URL(url.searchParams.get('redirect_uri') ?? 'http://127.0.0.1');
  stderr.write(`${how}:\n\n  ${printable(url.href)}\n\n`);
  if (!isOpen && back.port !== '') {
    stderr.write(
      `If the browser runs on another machine, forward port ${back.port} to this one: ssh -L ${back.port}:127.0.0.1:${back.port} …\n`,
    );
  }
  stderr.write('Waiting for the sign-in …\n');
}

/** Deletes the tokens of a server. Does not revoke them at the server. */
export async function logout(options: CommonOptions & { readonly server: string }, io: Io): Promise<ExitCode> {
  const { config: files, server: name, json } = options;
  if (io.stateDirectory === undefined) throw noPlaceForSignIns();
  const isListed = !isTarget(name);
  const { servers } = isListed
    ? await loadConfig(configSource(files, io))
    : unlistedConfig({ target: name }, io).config;
  if (isListed) requireServer(servers, name);
  const server = isListed ? servers.find((entry) => entry.name === name) : servers[0];
  if (server?.transport !== 'http') {
    throw new CommandError(exitCodes.failed, `Server "${name}" has no sign-in, because it has no URL.`);
  }
  const wasSignedIn = await forgetSignIn(io.stateDirectory, server.url);
  if (wasSignedIn && isListed) await restartInDaemon(options, io);
  if (json) printJson({ server: name, wasSignedIn }, io);
  else if (wasSignedIn) io.stdout.write(`Signed out of ${printableLine(name, 200)}.\n`);
  else io.stdout.write(`You were not signed in to ${printableLine(name, 200)}.\n`);
  return exitCodes.ok;
}

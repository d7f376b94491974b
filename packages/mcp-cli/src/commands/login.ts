import type { CommonOptions } from '../command-options.js';
import { openStack } from '../compose.js';
import { agreeBefore, trustingStarts } from '../consent/agree-before.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { CommandError, type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { printable, printableLine } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';
import { signInsFile } from '../signing-in/sign-in-store.js';
import { signIns } from '../signing-in/sign-ins.js';

export interface LoginOptions extends CommonOptions {
  readonly server: string;
  /** Port on 127.0.0.1 that the browser comes back to. Default: any that is free. */
  readonly port?: number;
  /** Longest time for the user, in seconds. */
  readonly timeout: number;
  /** `false`: the address is printed and no browser is opened. */
  readonly browser?: boolean;
}

/** `mcpx login <server>`: signs the user in to a server in the browser, and keeps the tokens for every other command. */
export async function login(options: LoginOptions, io: Io): Promise<ExitCode> {
  const { server, port, timeout, browser = true, json } = options;
  const { stateDirectory } = io;
  if (stateDirectory === undefined) throw noPlaceForSignIns();
  const openUrl = (url: URL): Promise<void> => showPage(url, browser, io);
  const auth = signIns(io, { openUrl, redirectPort: port, timeoutMs: timeout * 1_000 });
  await agreeBefore({ ...options, servers: [server] }, io);
  await using stack = await openStack({ config: options.config, servers: [server], auth }, io);
  const managed = stack.manager.server(server);
  await managed.authorize({ signal: io.signal });
  const { tools } = managed.status;
  if (json) printJson({ server, signedIn: true, tools, file: signInsFile(stateDirectory) }, io);
  else {
    const { green, bold } = stylesFor(io.stdout, io);
    const offer = `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
    io.stdout.write(`${green('✓')} Signed in to ${bold(printableLine(server, 200))}, which offers ${offer}\n`);
  }
  await tellDaemon(options, io);
  return exitCodes.ok;
}

export function noPlaceForSignIns(): CommandError {
  return new CommandError(exitCodes.failed, 'There is no directory in which sign-ins could be kept.', {
    hint: 'Set HOME to a directory of yours.',
  });
}

/** A server of the daemon that runs, or waits for the sign-in, connects anew with what is kept now. */
export async function tellDaemon({ config, server }: Pick<LoginOptions, 'config' | 'server'>, io: Io): Promise<void> {
  await using control = await findDaemon({ config }, io);
  if (!control) return;
  const { servers } = await control.status({ signal: io.signal });
  const row = servers.find(({ name }) => name === server);
  if (row && row.state !== 'stopped')
    await trustingStarts(control, io).restart({ servers: [server], signal: io.signal });
}

/** The address is printed in any case: the browser that opens may be another than the one that the user wants. */
async function showPage(url: URL, browser: boolean, { stderr, openPage }: Io): Promise<void> {
  const isOpen = browser && (await openPage?.(url)) === true;
  const how = isOpen ? 'A page to sign in on has opened. If it has not, open' : 'Sign in on this page';
  const back = new URL(url.searchParams.get('redirect_uri') ?? 'http://127.0.0.1');
  stderr.write(`${how}:\n\n  ${printable(url.href)}\n\n`);
  if (!isOpen && back.port !== '') {
    stderr.write(
      `Is the browser on another machine? It comes back to port ${back.port} of this one: ssh -L ${back.port}:127.0.0.1:${back.port} …\n`,
    );
  }
  stderr.write('Waiting for the sign-in …\n');
}

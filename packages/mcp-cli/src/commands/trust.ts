import { resolve } from 'node:path';
import { realPath } from '@x/internal/files';
import { createConsentStore, type LaunchToConfirm, shownText } from '@x/mcp-config-schema/consent';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { noTerminalError, promptForConsent, storeConsent, waitingLaunches } from '../consent/prompt-consent.js';
import { showLaunches } from '../consent/show-launches.js';
import { trustHint } from '../control/control-error.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { canAsk } from '../output/ask.js';
import { printableLine, printJson, stylesFor } from '../output/print.js';

interface TrustCommandOptions extends CommonOptions {
  /** Directory to find the config in. Default: the current directory. */
  readonly directory?: string | undefined;
  readonly yes?: boolean;
}

/** Shows the commands of a config's servers and stores the user's consent. Starts nothing new. */
export async function trust(options: TrustCommandOptions, io: Io): Promise<ExitCode> {
  const { directory, config, yes, json } = options;
  const there: Io = directory === undefined ? io : inDirectory(io, resolve(io.cwd, directory));
  const { waiting } = await waitingLaunches({ config }, there);
  if (waiting.length > 0 && !(await isAgreed(waiting, { yes, json }, there))) {
    throw new CommandError(exitCodes.config, 'You did not give consent.', { hint: trustHint });
  }
  await storeConsent(waiting, io);
  const agreed = waiting.map(({ server, directory: of, file, lines }) => ({ server, directory: of, file, lines }));
  if (json) printJson({ agreed }, io);
  else {
    const { green } = stylesFor(io.stdout, io);
    for (const { server } of agreed) io.stdout.write(`${green('✓')} ${printableLine(server, 200)} may start\n`);
    if (agreed.length === 0) io.stdout.write('No consent is needed: every server may start.\n');
  }
  await startWaiting({ config }, waiting, there);
  return exitCodes.ok;
}

async function isAgreed(
  waiting: readonly LaunchToConfirm[],
  { yes, json }: { readonly yes: boolean | undefined; readonly json: boolean | undefined },
  io: Io,
): Promise<boolean> {
  if (yes) {
    if (!json) showLaunches(waiting, 'You give consent to run:', io);
    return true;
  }
  if (!canAsk(io)) throw noTerminalError(waiting, io);
  return promptForConsent(waiting, io);
}

/** Starts servers of the daemon that failed for want of consent, because the daemon does not retry those. */
async function startWaiting(
  options: { readonly config: readonly string[] | undefined },
  agreed: readonly LaunchToConfirm[],
  io: Io,
): Promise<void> {
  if (agreed.length === 0) return;
  await using daemon = await findDaemon(options, io);
  if (!daemon) return;
  const { servers } = await daemon.status({ signal: io.signal });
  const failed = servers.filter(
    ({ name, state }) => state === 'failed' && agreed.some(({ server }) => server === name),
  );
  if (failed.length === 0) return;
  await daemon.start({ servers: failed.map(({ name }) => name), signal: io.signal });
}

export async function listTrust({ json }: CommonOptions, io: Io): Promise<ExitCode> {
  const consents = await createConsentStore(io.stateDirectory).list();
  if (json) {
    printJson({ consents }, io);
    return exitCodes.ok;
  }
  const { bold, dim } = stylesFor(io.stdout, io);
  let last: string | undefined;
  for (const { directory, server, lines, agreedAt } of consents) {
    if (directory !== last) io.stdout.write(`${bold(printableLine(directory, 1_000))}\n`);
    last = directory;
    io.stdout.write(`  ${printableLine(server, 200)} ${dim(agreedAt.slice(0, 10))}\n`);
    for (const line of lines) io.stdout.write(`    ${shownText(line)}\n`);
  }
  if (consents.length === 0) io.stdout.write('There are no consents.\n');
  return exitCodes.ok;
}

/** Deletes the consents of one directory. Running servers stay up. */
export async function removeTrust(
  { directory = '.', json }: CommonOptions & { readonly directory?: string | undefined },
  io: Io,
): Promise<ExitCode> {
  const path = realPath(resolve(io.cwd, directory));
  const removed = await createConsentStore(io.stateDirectory).remove(path);
  if (json) printJson({ directory: path, removed: removed.map(({ server }) => server) }, io);
  else if (removed.length === 0) io.stdout.write(`There are no consents for ${printableLine(path, 1_000)}.\n`);
  else {
    const names = removed.map(({ server }) => printableLine(server, 200)).join(', ');
    io.stdout.write(`Consent withdrawn: ${names}. Running servers keep running until they are stopped.\n`);
  }
  return exitCodes.ok;
}

/** The same `io` with another working directory. A prototype, because reading a stream property opens the stream. */
function inDirectory(io: Io, cwd: string): Io {
  return Object.create(io, { cwd: { value: cwd, enumerable: true } }) as Io;
}

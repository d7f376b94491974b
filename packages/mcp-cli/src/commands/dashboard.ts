import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { obtainConsent } from '../consent/obtain-consent.js';
import type { DashboardLink, DashboardVisit } from '../control/reports.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { removeLinkFile, writeLinkFile } from '../dashboard/link-file.js';
import { printNote } from '../output/fit.js';
import { printJson } from '../output/print.js';

interface DashboardCommandOptions extends CommonOptions {
  readonly open: boolean;
  readonly readOnly?: boolean;
  /** False with `--no-calls`. */
  readonly calls?: boolean;
  readonly recordCalls?: boolean;
}

/** Prints a one-time link to the dashboard and opens it. Starts the daemon if necessary. */
export async function dashboard(options: DashboardCommandOptions, io: Io): Promise<ExitCode> {
  await obtainConsent(options, io);
  await using control = await ensureDaemon(options, io);
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, io.signal]);
  let visit: Promise<DashboardVisit> = Promise.resolve({ isOpened: false });
  const link = new Promise<DashboardLink>((resolve, reject) => {
    visit = control.dashboard({
      readOnly: options.readOnly,
      noCalls: options.calls === false,
      recordCalls: options.recordCalls,
      signal,
      onLink: resolve,
    });
    visit.catch(reject);
  });
  try {
    const { url, expiresInMs } = await link;
    if (options.json) {
      printJson({ url, expiresInMs }, io);
      return exitCodes.ok;
    }
    io.stdout.write(`${url}\n`);
    printNote(`The link can be opened once within ${Math.round(expiresInMs / 60_000)} minutes.`, io);
    // A program that reads the link from a pipe opens the page itself and must not block here.
    return options.open && io.stdout.isTTY ? await openAndWait(url, visit, options, io) : exitCodes.ok;
  } finally {
    ended.abort();
    await visit.catch(() => undefined);
  }
}

/** The file with the link exists only until the page opens. */
async function openAndWait(
  url: string,
  visit: Promise<DashboardVisit>,
  options: CommonOptions,
  io: Io,
): Promise<ExitCode> {
  const file = await writeLinkFile(locateDaemon(options, io).paths.directory, url);
  try {
    if (!(await io.openFile?.(file))) {
      printNote('No browser is available here. Open the link yourself.', io);
      return exitCodes.ok;
    }
    const { isOpened } = await visit;
    io.stderr.write(
      isOpened
        ? 'The dashboard is open.\n'
        : 'The link has expired without being opened. Run the command again for a new one.\n',
    );
    return isOpened ? exitCodes.ok : exitCodes.failed;
  } finally {
    await removeLinkFile(file);
  }
}

import { type ExitCode, exitCodes } from '../exit-codes.js';
import { chosenHosts } from '../host-apps/chosen-hosts.js';
import { hostPlace, type ScopeChoice } from '../host-apps/host-place.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { printable } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';
import { configText, schemaFor } from '../writing-config/config-text.js';
import { type ImportedServers, readHosts, type SkippedServer } from '../writing-config/read-hosts.js';

export interface ImportOptions {
  /** Ids, families or short names of host apps. Empty: all that are found. */
  readonly hosts: readonly string[];
  readonly scope: ScopeChoice;
  readonly json?: boolean;
}

/** Prints the servers of host apps as the text of a config. Writes no file. */
export async function importHosts({ hosts, scope, json }: ImportOptions, io: Io): Promise<ExitCode> {
  const place = hostPlace(io, scope);
  const imported = await readHosts(await chosenHosts(hosts, place, scope), place);
  if (json) printJson(imported, io);
  else {
    io.stdout.write(configText({ ...imported, schema: schemaFor(io.cwd) }));
    printImportNotes(imported, io);
  }
  return exitCodes.ok;
}

/** Prints on stderr which servers were skipped, what may not work, and which variables the user must set. */
export function printImportNotes({ secrets, skipped, warnings }: ImportedServers, io: Io): void {
  const { yellow, bold } = stylesFor(io.stderr, io);
  for (const each of skipped) io.stderr.write(`${yellow('left out')} ${skippedText(each)}\n`);
  for (const { server, host, message } of warnings) {
    io.stderr.write(`${yellow('warning')} ${printable(`${server} (${host}): ${message}`)}\n`);
  }
  const variables = [...new Set(secrets.map(({ variable }) => variable))];
  if (variables.length === 0) return;
  io.stderr.write(`Secrets were not copied. Set ${variables.map((name) => bold(name)).join(', ')} before a start.\n`);
}

export function skippedText({ server, host, reason }: SkippedServer): string {
  return printable(`${server === undefined ? host : `${server} (${host})`}: ${reason}`);
}

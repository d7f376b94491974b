import type { ManagedListing, ServerPrompt, ServerResource, ServerResourceTemplate } from '@x/mcp-client-manager';
import type { CommonOptions, Io } from '../command.js';
import type { Control, WaitOptions } from '../control/control.js';
import { isControlError } from '../control/control-error.js';
import type { ServerRow } from '../control/reports.js';
import { columnsOf, fit, printNote } from '../output/fit.js';
import { printable, printableLine, stylesFor } from '../output/print.js';
import { startsAutomatically } from './server-rows.js';
import { requireAnyStarted, startServers } from './start-servers.js';

export interface ListOfferedOptions extends CommonOptions {
  /** Default: every server whose list is known. */
  readonly server?: string | undefined;
  /** Requests new lists, and starts the named server or those with `auto_start`. */
  readonly refresh?: boolean;
}

/** Resources, templates or prompts of one server. */
interface Offered<Entry> {
  readonly server: string;
  readonly items: readonly Entry[];
  /** Time of the list in milliseconds since 1970, if it is not new. */
  readonly cachedAt?: number | undefined;
  readonly problems: readonly string[];
}

interface OfferedReport<Entry> {
  readonly offered: readonly Offered<Entry>[];
  /** Servers without a known list. */
  readonly notAsked: readonly string[];
}

type List<Entry> = (
  options: WaitOptions & { readonly server: string; readonly wake: boolean },
) => Promise<ManagedListing<Entry>>;

/** Lists of servers, stored ones for servers that are not running. Starts a named server if its list is unknown. */
export async function listOffered<Entry>(
  control: Control,
  list: List<Entry>,
  options: ListOfferedOptions,
  io: Io,
): Promise<OfferedReport<Entry>> {
  const { server, refresh = false } = options;
  const { servers: rows } = await control.status({ signal: io.signal });
  const names = server === undefined ? rows.filter(({ disabled }) => !disabled).map(({ name }) => name) : [server];
  if (refresh) await startStopped(control, rows, options, io);
  const first = await readAll(list, names, io);
  if (server === undefined || refresh || first.notAsked.length === 0) return first;
  await startStopped(control, rows, options, io);
  return await readAll(list, names, io);
}

async function startStopped(
  control: Control,
  rows: readonly ServerRow[],
  options: ListOfferedOptions,
  io: Io,
): Promise<void> {
  const stopped =
    options.server === undefined
      ? rows.filter((row) => startsAutomatically(row) && row.state !== 'running').map(({ name }) => name)
      : [options.server];
  requireAnyStarted(await startServers(control, stopped, options, io), options, io);
}

async function readAll<Entry>(
  list: List<Entry>,
  names: readonly string[],
  { signal }: Io,
): Promise<OfferedReport<Entry>> {
  const offered: Offered<Entry>[] = [];
  const notAsked: string[] = [];
  const listings = await Promise.all(names.map((server) => readOne(list, server, signal)));
  for (const [index, listing] of listings.entries()) {
    const server = names[index] ?? '';
    if (listing.completeness === 'unavailable') notAsked.push(server);
    else {
      const { items, cachedAt, problems } = listing;
      offered.push({ server, items, problems, ...(cachedAt !== undefined && { cachedAt }) });
    }
  }
  return { offered, notAsked };
}

async function readOne<Entry>(list: List<Entry>, server: string, signal: AbortSignal): Promise<ManagedListing<Entry>> {
  try {
    return await list({ server, wake: false, signal });
  } catch (error) {
    if (!isControlError(error)) throw error;
    if (error.code === 'unknown-server') throw error;
    // A server without the capability has an empty list; one failed server does not affect the others.
    const problems = error.code === 'unsupported' ? [] : [error.message];
    return { items: [], completeness: 'complete', problems };
  }
}

/** Prints a heading per server and a line per entry; notes about the lists go to stderr. */
export function printOffered<Entry>(
  { offered, notAsked }: OfferedReport<Entry>,
  {
    what,
    line,
    isNamed,
  }: {
    /** `resources` or `prompts`. */
    readonly what: string;
    readonly line: (entry: Entry) => OfferedLine;
    readonly isNamed: boolean;
  },
  io: Io,
): void {
  const { bold, cyan, dim } = stylesFor(io.stdout, io);
  const columns = columnsOf(io.stdout);
  for (const { server, items, cachedAt, problems } of offered) {
    if (items.length > 0 || isNamed) {
      const when = cachedAt === undefined ? '' : dim(` as listed at ${new Date(cachedAt).toISOString()}`);
      io.stdout.write(
        `${bold(printableLine(server, 60))}: ${items.length} ${items.length === 1 ? what.replace(/s$/, '') : what}${when}\n`,
      );
    }
    for (const item of items) {
      const { name, facts } = line(item);
      const rest = columns === undefined ? 1_000 : columns - name.length - 4;
      // A terminal gets the beginning behind the name, or three rows below it.
      const shown = printableLine(facts, rest >= 20 || columns === undefined ? rest : columns * 3);
      const text = `  ${cyan(printableLine(name, 500))}${shown === '' ? '' : `  ${dim(shown)}`}\n`;
      io.stdout.write(fit(text, io.stdout));
    }
    for (const problem of problems) printNote(`warning: ${printableLine(server, 60)}: ${printable(problem)}`, io);
  }
  if (offered.every(({ items }) => items.length === 0) && !isNamed) io.stdout.write(`No ${what} are known.\n`);
  if (notAsked.length > 0) {
    const names = printableLine(notAsked.join(', '), 300);
    printNote(
      `The ${what} of these servers are unknown: ${names}. Add --refresh to list those of servers with auto_start.`,
      io,
    );
  }
}

interface OfferedLine {
  readonly name: string;
  readonly facts: string;
}

export function resourceLine({
  uri,
  uriTemplate,
  name,
  title,
  mimeType,
  description,
}: Partial<ServerResource & ServerResourceTemplate>): OfferedLine {
  const facts = [title ?? name, mimeType, description].filter((fact) => fact !== undefined);
  return { name: uri ?? uriTemplate ?? '', facts: facts.join(', ') };
}

export function promptLine(prompt: ServerPrompt): OfferedLine {
  return { name: signatureOf(prompt), facts: prompt.description ?? prompt.title ?? '' };
}

/** The prompt as typed on the command line: `greet who= [tone=]`. */
export function signatureOf({ name, arguments: args = [] }: ServerPrompt): string {
  return [name, ...args.map((each) => (each.required === true ? `${each.name}=` : `[${each.name}=]`))].join(' ');
}

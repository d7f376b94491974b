import type { EntryEdit, JsonValue } from '@x/mcp-host-sync/edit';
import { CommandError, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { storeConsent, waitingLaunches } from '../consent/prompt-consent.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { applyChange, type PlannedChange, planEdits, planText } from '../writing-config/change-config.js';
import {
  type ChangeOptions,
  entriesIn,
  type FoundConfig,
  fileToAddTo,
  findConfig,
  isHostFormat,
  type ServerFile,
} from '../writing-config/config-file.js';
import { configText, schemaFor } from '../writing-config/config-text.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import { printChange } from '../writing-config/print-change.js';
import { type RemovedSecret, withoutSecrets } from '../writing-config/without-secrets.js';
import { type EntryWords, variablesIn, writtenEntry } from '../writing-config/written-entry.js';

export interface AddOptions extends ChangeOptions, EntryWords {
  readonly name: string;
  /** Replaces an entry of this name. */
  readonly force?: boolean;
}

/** Adds a server to the config. Starts nothing. The user typed the entry, which gives consent to it. */
export async function add(options: AddOptions, io: Io): Promise<ExitCode> {
  const { name, target } = options;
  if (target.length === 0) throw withoutTarget(name);
  const { servers, secrets } = withoutSecrets({ [name]: writtenEntry(options) });
  const entry = servers[name] ?? {};
  await addEntry({ name, entry, secrets, isTyped: true }, options, io);
  return exitCodes.ok;
}

function withoutTarget(name: string): UsageError {
  return new UsageError(`What is the server "${name}"? Give its command or its URL.`, {
    hint: `For example: mcpx add ${name} -- npx -y some-server, or mcpx add ${name} https://example.com/mcp`,
  });
}

interface NewServer {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly secrets: readonly RemovedSecret[];
  /** The user wrote the entry, which gives consent to it. */
  readonly isTyped: boolean;
}

async function addEntry(server: NewServer, options: AddOptions, io: Io): Promise<void> {
  const { name, secrets, isTyped } = server;
  const found = await findConfig(options, io);
  const file = await fileToAddTo(found, options, io);
  const isReplaced = entriesIn(file).has(name);
  if (isReplaced && !options.force) throw taken(name, file);
  const plan = planAdd(server, file, { found, options });
  const onWritten = isTyped ? () => trustEntry(name, file, options, io) : undefined;
  const report = await applyChange(plan, { ...options, command: `add ${name}`, onWritten }, io);
  const variables = variablesIn(server.entry).filter((variable) => io.env[variable] === undefined);
  const all = { server: name, ...report, secrets, variables };
  if (options.json) {
    printJson(all, io);
    return;
  }
  const { green } = stylesFor(io.stdout, io);
  const verb = report.outcome === 'created' ? 'Wrote' : isReplaced ? 'Replaced' : 'Added';
  const shown = printable(file.shown);
  const what = printableLine(name, 200);
  const done = verb === 'Wrote' ? `${shown} with ${what}` : `${what} ${isReplaced ? 'in' : 'to'} ${shown}`;
  printChange(report, { headline: `${green('✓')} ${verb} ${done}.`, warnings: plan.warnings }, io);
  printVariables(all, io);
  if (report.written) io.stdout.write(`Next: "mcpx discover ${what}" starts it and lists its tools.\n`);
}

function taken(name: string, file: ServerFile): CommandError {
  return new CommandError(exitCodes.failed, `${file.shown} has a server "${name}" already. Nothing was written.`, {
    hint: `Add --force to replace it, choose another name, or run "mcpx edit ${name}".`,
  });
}

interface AddPlace {
  readonly found: FoundConfig;
  readonly options: AddOptions;
}

function planAdd({ name, entry }: NewServer, file: ServerFile, { found, options }: AddPlace): PlannedChange {
  if (file.text === undefined && file.shape.dialect === 'yaml') {
    return planText(found, file, configText({ servers: { [name]: entry }, schema: schemaFor(dirnameOf(file)) }));
  }
  const fields = fieldsFor(entry, file, { found, options });
  const present = entriesIn(file).get(name);
  return planEdits(found, file, [
    present === undefined ? { type: 'add', name, entry: fields } : replacing(name, present, fields),
  ]);
}

function dirnameOf({ path }: ServerFile): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
}

type Fields = Readonly<Record<string, JsonValue>>;

/** Changes fields in place, so that comments stay. */
function replacing(name: string, before: Fields, after: Fields): EntryEdit {
  return {
    type: 'update',
    name,
    set: Object.entries(after).map(([key, value]) => ({ path: [key], value })),
    unset: Object.keys(before)
      .filter((key) => !Object.hasOwn(after, key))
      .map((key) => [key]),
  };
}

/** Fields in the format of the file. A server starts with the others, or with its host. */
function fieldsFor(entry: ServerEntry, file: ServerFile, { found, options }: AddPlace): Fields {
  const fields = entry as Fields;
  if (!isHostFormat(file)) return found.settings?.autoStartDefault ? fields : { ...fields, auto_start: true };
  return entry.url === undefined ? fields : { type: options.transport === 'sse' ? 'sse' : 'http', ...fields };
}

/** Consent for exactly the entry that was written. The user's own config needs none. */
async function trustEntry(name: string, { path, layer }: ServerFile, { config }: AddOptions, io: Io): Promise<void> {
  if (layer === 'user' || io.stateDirectory === undefined) return;
  // An error elsewhere in the config: the first start asks.
  const found = await waitingLaunches({ config, variables: 'keep' }, io).catch(() => undefined);
  await storeConsent(found?.waiting.filter(({ server, file }) => server === name && file === path) ?? [], io);
}

function printVariables(
  { secrets, variables }: { readonly secrets: readonly RemovedSecret[]; readonly variables: readonly string[] },
  io: Io,
): void {
  const { bold } = stylesFor(io.stderr, io);
  const names = (list: readonly string[]) => [...new Set(list)].map((each) => bold(printable(each))).join(', ');
  const removed = secrets.map(({ variable }) => variable);
  if (removed.length > 0) io.stderr.write(`Secrets were not written: the entry names ${names(removed)} instead.\n`);
  const unset = [...new Set([...removed, ...variables])];
  if (unset.length > 0) io.stderr.write(`Set ${names(unset)} before the server starts.\n`);
}

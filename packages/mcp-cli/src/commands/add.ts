import { type LaunchToConfirm, shownWord } from '@x/mcp-config-schema/consent';
import type { EntryEdit, JsonValue } from '@x/mcp-host-sync/edit';
import type { Bundle } from '../adding/bundle.js';
import { fillInputs, givenInputs } from '../adding/fill-inputs.js';
import { findOffer } from '../adding/find-offer.js';
import type { OfferedServer } from '../adding/offered-server.js';
import { CommandError, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { hasConfig } from '../config/find-project.js';
import { promptForConsent, storeConsent, waitingLaunches } from '../consent/prompt-consent.js';
import { launchRows, showLaunches } from '../consent/show-launches.js';
import { usedAsTheyAre } from '../host-apps/used-as-they-are.js';
import { askYesNo, canAsk } from '../output/ask.js';
import { fit, printNote } from '../output/fit.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { applyChange, changedOnce, type PlannedChange, planEdits, planText } from '../writing-config/change-config.js';
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
import { type EntryWords, namedValues, variablesIn, writtenEntry } from '../writing-config/written-entry.js';

export interface AddOptions extends ChangeOptions, EntryWords {
  /** Alone it may be the source, too. */
  readonly name: string;
  /** Replaces an entry of this name. */
  readonly force?: boolean;
  /** `KEY=value` for inputs of an offered server. */
  readonly input?: readonly string[] | undefined;
  /** Base URL of the MCP Registry. */
  readonly registry?: string | undefined;
  /** Host app that has the server, or `all`. */
  readonly from?: string | undefined;
}

/**
 * Adds a server to the config. Starts nothing. An entry that the user typed needs no further consent; one that another
 * author describes waits for it.
 */
export async function add(options: AddOptions, io: Io): Promise<ExitCode> {
  const { name, target, from } = options;
  if (from !== undefined) return addFromApp(from, options, io);
  const source = target.length === 0 ? name : target.length === 1 ? target[0] : undefined;
  const offer = source === undefined ? undefined : await findOffer(source, options, io);
  if (offer !== undefined) return addOffer(offer, options, io);
  if (target.length === 0) throw withoutTarget(name);
  if (/\.(?:mcpb|dxt)$/i.test(target[0] ?? '')) {
    throw new UsageError(`"${printableLine(target[0] ?? '', 200)}" is a bundle, which takes no arguments.`, {
      hint: 'Its inputs have names: --input NAME=value',
    });
  }
  if (options.input !== undefined)
    throw new UsageError('--input is for servers that a file or the registry describes.');
  const { servers, secrets } = withoutSecrets({ [name]: writtenEntry(options) });
  await addEntry({ name, entry: servers[name] ?? {}, secrets, isTyped: true }, options, io);
  return exitCodes.ok;
}

/** The entry is the app's own, so nothing of it is given here. */
async function addFromApp(app: string, options: AddOptions, io: Io): Promise<ExitCode> {
  const { name, target, env, header, cwd, transport, input, registry } = options;
  const further = { env, header, cwd, transport, input, registry };
  const [other] = Object.entries(further).flatMap(([key, value]) => (value === undefined ? [] : [`--${key}`]));
  if (target.length > 0 || other !== undefined) {
    throw new UsageError(`--from takes the server as the app has it, so ${other ?? 'a target'} cannot be given.`, {
      hint: `Run "mcpx add ${name} --from ${app}", then "mcpx edit ${name}" to change it.`,
    });
  }
  const { readAppServer } = await import('../adding/app-server.js');
  const { entry, secrets, notes, isOfUser } = await readAppServer(name, app, io);
  const { yellow } = stylesFor(io.stderr, io);
  for (const note of notes) printNote(`${yellow('warning')} ${printableLine(note, 500)}`, io);
  await addEntry({ name, entry, secrets, isTyped: isOfUser }, options, io);
  return exitCodes.ok;
}

async function addOffer(offer: OfferedServer | Bundle, options: AddOptions, io: Io): Promise<ExitCode> {
  const { target, env = [], header = [], cwd, input = [] } = options;
  const { yellow } = stylesFor(io.stderr, io);
  for (const note of offer.notes) printNote(`${yellow('warning')} ${printableLine(note, 500)}`, io);
  const name = target.length === 0 ? offer.name : options.name;
  const own = { env: namedValues('env', env), headers: namedValues('headers', header) };
  const given = new Map([...Object.entries({ ...own.env, ...own.headers }), ...givenInputs(input, offer.inputs)]);
  const values = await fillInputs(offer.inputs, { given, isSilent: options.json === true }, io);
  const described = offer.entry((key) => values.get(key));
  const isOffered = (key: string) => offer.inputs.some((each) => each.key === key);
  const more = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => !isOffered(key)));
  const entry = {
    ...described,
    ...merged('env', described.env, more(own.env)),
    ...merged('headers', described.headers, more(own.headers)),
    ...(cwd !== undefined && { cwd }),
  };
  const { servers, secrets } = withoutSecrets({ [name]: entry });
  const bundle = 'unpack' in offer ? offer : undefined;
  await addEntry({ name, entry: servers[name] ?? {}, secrets, isTyped: false, bundle }, options, io);
  return exitCodes.ok;
}

function merged(
  key: 'env' | 'headers',
  before: ServerEntry['env'],
  more: Readonly<Record<string, string>>,
): ServerEntry {
  const all = { ...before, ...more };
  return Object.keys(all).length === 0 ? {} : { [key]: all };
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
  /** Its files must be in place before it starts. */
  readonly bundle?: Bundle | undefined;
}

async function addEntry(server: NewServer, options: AddOptions, io: Io): Promise<void> {
  const { name, secrets, isTyped, bundle } = server;
  let isConfirmed = isTyped;
  let isUnpacked = false;
  let isWaiting = false;
  const { file, isReplaced, plan, report, used } = await changedOnce(async () => {
    const found = await findConfig(options, io);
    const file = await fileToAddTo(found, options, io);
    const used = file.text === undefined ? await usedAsTheyAre(io) : [];
    const isReplaced = entriesIn(file).has(name);
    if (isReplaced && !options.force) throw taken(name, file);
    const plan = planAdd(server, file, { found, options });
    if (!isConfirmed && file.layer === 'user' && !options.dryRun) {
      await confirmForUser(server, options, io);
      isConfirmed = true;
    }
    if (!options.dryRun && (await bundle?.unpack())) isUnpacked = true;
    const onWritten = async () => {
      isWaiting = !(await (isTyped ? trustEntry : confirmEntry)(name, file, options, io));
    };
    const change = {
      command: `add ${name}`,
      bundle:
        isUnpacked && bundle ? ({ folder: bundle.folder, file: bundle.origin, did: 'unpack' } as const) : undefined,
    };
    const report = await applyChange(plan, { ...options, ...change, onWritten }, io);
    return { file, isReplaced, plan, report, used };
  }, io);
  const hidden = report.written && hasConfig(io) ? used : [];
  const variables = variablesIn(server.entry).filter((variable) => io.env[variable] === undefined);
  const all = {
    server: name,
    ...report,
    secrets,
    variables,
    runs: runLines(server.entry),
    waitsForConsent: isWaiting,
    ...(hidden.length > 0 && { hidden }),
  };
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
  if (hidden.length > 0) sayHidden(hidden, io);
  if (!report.written) return;
  const next = isWaiting
    ? '"mcpx trust" gives it your consent; until then it does not start'
    : `"mcpx discover ${what}" starts it and lists its tools`;
  io.stdout.write(fit(`Next: ${next}.\n`, io.stdout));
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

/** A config takes the place of the host apps, which a user who adds one server may not expect. */
function sayHidden(servers: readonly string[], io: Io): void {
  const { yellow } = stylesFor(io.stderr, io);
  const shown = servers.slice(0, 3).map((server) => printableLine(server, 60));
  const rest = servers.length - shown.length;
  const names = rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
  const what = servers.length === 1 ? 'the server' : `the ${servers.length} servers`;
  printNote(
    `${yellow('warning')} mcpx no longer uses ${what} of your host apps here, because there is a config now: ${names}.
To have both, run "mcpx config undo", then "mcpx init --from all", and add the new server again. To use an app beside the config in one command, add --config and --from, such as: mcpx list --config . --from cursor`,
    io,
  );
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
  if (!isHostFormat(file)) {
    const typed = options.transport === 'sse' && entry.url !== undefined ? { ...fields, type: 'sse' } : fields;
    return found.settings?.autoStartDefault ? typed : { ...typed, auto_start: true };
  }
  return entry.url === undefined ? fields : { type: options.transport === 'sse' ? 'sse' : 'http', ...fields };
}

/** The launch that was written, if it needs consent. The user's own config needs none. */
async function launchOf(
  name: string,
  { path, layer }: ServerFile,
  { config }: AddOptions,
  io: Io,
): Promise<readonly LaunchToConfirm[] | undefined> {
  if (layer === 'user') return [];
  // An error elsewhere in the config: the first start asks.
  const found = await waitingLaunches({ config }, io).catch(() => undefined);
  return found?.waiting.filter(({ server, file }) => server === name && file === path);
}

/** Stores consent for exactly the entry that was written. False if it still needs some. */
async function trustEntry(name: string, file: ServerFile, options: AddOptions, io: Io): Promise<boolean> {
  const launches = await launchOf(name, file, options, io);
  if (launches === undefined || (io.stateDirectory === undefined && launches.length > 0)) return false;
  await storeConsent(launches, io);
  return true;
}

/** The same for an entry of another author: shows it, and asks on a terminal unless `--trust` is given. */
async function confirmEntry(name: string, file: ServerFile, options: AddOptions, io: Io): Promise<boolean> {
  const launches = await launchOf(name, file, options, io);
  if (options.trust) {
    if (launches !== undefined && launches.length > 0) showLaunches(launches, 'You gave consent to run:', io);
    return trustEntry(name, file, options, io);
  }
  if (launches === undefined) return false;
  if (options.json || !canAsk(io)) {
    if (launches.length > 0) showLaunches(launches, 'This would run:', io);
    return launches.length === 0;
  }
  if (!(await promptForConsent(launches, io))) return false;
  await storeConsent(launches, io);
  return true;
}

/** @throws {CommandError} The user's own config needs no consent later, so it is asked for before the write. */
async function confirmForUser({ name, entry }: NewServer, { trust, json }: AddOptions, io: Io): Promise<void> {
  const lines = launchRows(runLines(entry), io);
  const verb = trust ? 'will' : 'would';
  printNote(`The server ${printableLine(name, 200)} ${verb} run, as you:`, io);
  io.stderr.write(`${lines.join('\n')}\n`);
  if (trust) return;
  if (!json && canAsk(io) && (await askYesNo('Do you give consent to run this?', io))) return;
  throw new CommandError(
    exitCodes.config,
    'A server in your own config starts without a prompt. Nothing was written.',
    {
      hint: 'Add --trust to give consent to this server, or leave --global out.',
    },
  );
}

function runLines({ command, args = [], env = {}, url, headers = {} }: ServerEntry): readonly string[] {
  const words = [command, ...args].flatMap((word) => (word === undefined ? [] : shownWord(word)));
  return [
    ...(url === undefined ? [`runs     ${words.join(' ')}`] : [`connects ${shownWord(url)}`]),
    ...Object.entries(env).map(([key, value]) => `env      ${shownWord(key)}=${shownWord(value)}`),
    ...Object.entries(headers).map(([key, value]) => `header   ${shownWord(key)}: ${shownWord(value)}`),
  ];
}

function printVariables(
  { secrets, variables }: { readonly secrets: readonly RemovedSecret[]; readonly variables: readonly string[] },
  io: Io,
): void {
  const { bold } = stylesFor(io.stderr, io);
  const names = (list: readonly string[]) => [...new Set(list)].map((each) => bold(printable(each))).join(', ');
  const removed = secrets.map(({ variable }) => variable);
  if (removed.length > 0) printNote(`Secrets were not written: the entry names ${names(removed)} instead.`, io);
  const unset = [...new Set([...removed, ...variables])];
  if (unset.length > 0)
    printNote(`Set ${names(unset)} before the server starts: in the environment, or in .env beside the config.`, io);
}

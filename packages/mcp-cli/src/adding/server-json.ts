import { isRecord } from '@x/internal/json';
import { CommandError, exitCodes } from '../command.js';
import { printableLine } from '../output/print.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import type { TransportWord } from '../writing-config/written-entry.js';
import {
  isVariableName,
  joined,
  type LookUp,
  leftOut,
  type OfferedServer,
  type Piece,
  type ServerInput,
  shortName,
  variableName,
} from './offered-server.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a `server.json` of the MCP Registry, alone or as the registry's API wraps it. Takes the first package that can
 * be started with a fixed version, else the first remote.
 *
 * @param options.transport - `stdio` takes packages only, `http` and `sse` remotes only.
 * @throws {CommandError} It describes no server that `mcpx` can run.
 * @see https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json
 */
export function readServerJson(
  document: unknown,
  { origin, transport }: { readonly origin: string; readonly transport?: TransportWord | undefined },
): OfferedServer {
  const detail = isRecord(document) && isRecord(document.server) ? document.server : document;
  if (!isRecord(detail) || typeof detail.name !== 'string') throw unusable(origin, ['it has no "name"']);
  const wrapped = isRecord(document) && isRecord(document._meta) ? document._meta : {};
  const reasons: string[] = [];
  const packages = transport === undefined || transport === 'stdio' ? recordsIn(detail.packages) : [];
  const remotes = transport === 'stdio' ? [] : recordsIn(detail.remotes);
  const launch =
    firstUsable(packages, (item) => packageLaunch(item, detail), reasons) ??
    firstUsable(remotes, (item) => remoteLaunch(item, detail), reasons);
  if (launch === undefined) throw unusable(origin, reasons);
  const notes = [...statusNotes(wrapped, origin), ...launch.notes];
  return { ...launch, name: shortName(detail.name), origin, notes };
}

type Launch = Pick<OfferedServer, 'inputs' | 'entry' | 'notes'>;

const bounds = { inputs: 200, reasons: 20, version: 128 };
const tooMany = `has more than ${bounds.inputs} arguments, variables and inputs`;

function firstUsable(
  items: readonly Json[],
  read: (item: Json) => Launch | string,
  reasons: string[],
): Launch | undefined {
  for (const item of items) {
    const launch = read(item);
    if (typeof launch !== 'string') return launch;
    reasons.push(launch);
  }
  return undefined;
}

function unusable(origin: string, reasons: readonly string[]): CommandError {
  return new CommandError(exitCodes.failed, `${origin} describes no server that mcpx can add.`, {
    details:
      reasons.length > 0
        ? reasons.slice(0, bounds.reasons).map((reason) => printableLine(reason, 300))
        : ['it has neither "packages" nor "remotes" of the wanted transport'],
  });
}

const official = 'io.modelcontextprotocol.registry/official';

/** @throws {CommandError} The registry has deleted the server. */
function statusNotes(meta: Json, origin: string): readonly string[] {
  const { status, statusMessage } = recordOf(meta[official]);
  const why = typeof statusMessage === 'string' ? `: ${printableLine(statusMessage, 300)}` : '';
  if (status === 'deleted') throw new CommandError(exitCodes.failed, `${origin} was deleted by its author${why}.`);
  return status === 'deprecated' ? [`${origin} is deprecated${why}.`] : [];
}

/** Collects inputs while the words of a launch are read. */
class Inputs {
  readonly all: ServerInput[] = [];
  readonly #server: string;
  readonly #keys = new Set<string>();
  readonly #numbers = new Map<string, number>();
  #reads = 0;

  constructor(server: string) {
    this.#server = server;
  }

  /** True if later parts were left out. */
  get isFull(): boolean {
    return this.#reads > bounds.inputs;
  }

  /** The key, with a number if an input has it. */
  unique(key: string): string {
    if (!this.#keys.has(key)) return key;
    let number = this.#numbers.get(key) ?? 2;
    while (this.#keys.has(`${key}${number}`)) number += 1;
    this.#numbers.set(key, number + 1);
    return `${key}${number}`;
  }

  /** Pieces of a value: its fixed text, or the input that provides it. `undefined`: an optional one without a value. */
  read(item: Json, key: string, { variable }: { readonly variable?: string } = {}): ValueOf {
    const { value } = item;
    this.#reads += 1;
    if (this.isFull) return () => undefined;
    if (typeof value === 'string') return this.#fixed(value, recordOf(item.variables), key);
    this.#add(item, key, variable);
    return (lookUp) => {
      const piece = lookUp(key);
      return piece && [piece];
    };
  }

  /** Replaces `{name}` by the input of that name; other braces stay. */
  #fixed(text: string, variables: Json, key: string): ValueOf {
    const parts = text.split(/(\{\w+\})/).map((part): ValueOf => {
      const name = part.startsWith('{') ? part.slice(1, -1) : '';
      const input = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return isRecord(input) ? this.read(input, `${key}.${name}`) : () => [{ literal: part }];
    });
    return (lookUp) => {
      const pieces = parts.map((part) => part(lookUp));
      return pieces.includes(undefined) ? undefined : pieces.flatMap((each) => each ?? []);
    };
  }

  readTemplate(text: string, variables: Json): ValueOf {
    return this.#fixed(text, variables, 'url');
  }

  #add(item: Json, key: string, variable = variableName(this.#server, key)): void {
    const { description, isRequired, isSecret, default: fallback, choices } = item;
    this.#keys.add(key);
    this.all.push({
      key,
      description: typeof description === 'string' ? description : undefined,
      isRequired: isRequired === true,
      isSecret: isSecret === true,
      default: typeof fallback === 'string' ? fallback : undefined,
      choices: textsIn(choices),
      variable,
    });
  }
}

type ValueOf = (lookUp: LookUp) => readonly Piece[] | undefined;

function packageLaunch(item: Json, detail: Json): Launch | string {
  const { registryType, identifier } = item;
  const what = `the package ${String(identifier)} (${String(registryType)})`;
  if (typeof registryType !== 'string' || typeof identifier !== 'string')
    return 'a package has no "registryType" and "identifier"; files before version 2025-09-16 are not supported';
  const { type: transport = 'stdio' } = recordOf(item.transport);
  if (transport !== 'stdio')
    return `${what} serves ${String(transport)} by itself; mcpx starts packages over stdio only`;
  const runner = runnerFor(item, registryType, identifier);
  if (typeof runner === 'string') return `${what} ${runner}`;
  const inputs = new Inputs(shortName(String(detail.name)));
  const [runtime, own, environment] = [item.runtimeArguments, item.packageArguments, item.environmentVariables].map(
    recordsIn,
  ) as [readonly Json[], readonly Json[], readonly Json[]];
  if (runtime.length + own.length + environment.length > bounds.inputs) return `${what} ${tooMany}`;
  const refused = runtime.find((argument) => !runner.takes(argument));
  if (refused !== undefined) return `${what} gives ${runner.command} the argument ${wordOf(refused)}, ${notTaken}`;
  const setting = environment.find(({ name }) => typeof name === 'string' && isSettingOf(runner, name));
  if (setting !== undefined)
    return `${what} sets the variable ${String(setting.name)}, which changes what ${runner.command} starts`;
  const before = runtime.map((argument) => argumentOf(argument, inputs));
  const behind = own.map((argument) => argumentOf(argument, inputs));
  const named = environment.filter(({ name }) => isVariableName(name));
  const env = named.map((variable) => {
    const name = String(variable.name);
    return [name, inputs.read(variable, name, { variable: name })] as const;
  });
  if (inputs.isFull) return `${what} ${tooMany}`;
  return {
    inputs: inputs.all,
    notes: [
      ...(runner.note === undefined ? [] : [runner.note]),
      ...environment.filter(({ name }) => !isVariableName(name)).map(({ name }) => leftOut('variable', name)),
      ...runtime.filter(opensHost).map((argument) => `The container gets access to this machine: ${wordOf(argument)}`),
    ],
    entry: (value) => {
      const variables = filled(env, value);
      const words = (list: readonly WordsOf[]) => list.flatMap((wordsOf) => wordsOf(value));
      const passed = runner.passesEnv ? Object.keys(variables).flatMap((name) => ['-e', name]) : [];
      const args = [...runner.first, ...passed, ...words(before), ...runner.what.map(asTemplate), ...words(behind)];
      return { command: runner.command, args, ...(Object.keys(variables).length > 0 && { env: variables }) };
    },
  };
}

interface Runner {
  readonly command: string;
  readonly first: readonly string[];
  /** The package with its version. */
  readonly what: readonly string[];
  /** What the user should know about that version. */
  readonly note?: string;
  /** A container gets variables by name. */
  readonly passesEnv: boolean;
  /** True for a runtime argument that cannot change which package or image starts. */
  takes(argument: Json): boolean;
  /** Variables that configure the runner. */
  readonly settings: RegExp;
}

const notTaken = 'which could start something else or open this machine; mcpx does not pass it on';

/** Variables that load other code into a program. */
const loaders = /^(?:PATH|NODE_OPTIONS|NODE_PATH|LD_\w+|DYLD_\w+|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP)$/i;

function isSettingOf({ settings }: Runner, name: string): boolean {
  return settings.test(name) || loaders.test(name);
}

const npx = {
  command: 'npx',
  first: ['-y'],
  passesEnv: false,
  settings: /^npm_config_/i,
  takes: (argument: Json) => isSwitchOf(['-y', '--yes', '-q', '--quiet'], argument),
};

const uvx = {
  command: 'uvx',
  passesEnv: false,
  settings: /^UV_/i,
  takes: (argument: Json) =>
    isSwitchOf(['-q', '--quiet'], argument) ||
    (argument.type === 'named' &&
      argument.name === '--python' &&
      typeof argument.value === 'string' &&
      /^\d+(?:\.\d+)*$/.test(argument.value)),
};

const dockerSwitches = ['-i', '--interactive', '--rm', '--init', '--read-only'];
const dockerFlags: readonly unknown[] = [
  ...['-e', '--env', '-v', '--volume', '--mount', '--network', '--net', '-p', '--publish', '-w', '--workdir', '-u'],
  ...['--user', '--name', '--platform', '--entrypoint', '-m', '--memory', '--cpus', '--add-host', '--tmpfs', '-l'],
  ...['--label', '--hostname', '--shm-size'],
];
const openFlags: readonly unknown[] = ['-v', '--volume', '--mount', '--network', '--net', '-p', '--publish'];

const docker = {
  command: 'docker',
  first: ['run', '-i', '--rm'],
  passesEnv: true,
  settings: /^DOCKER_/i,
  // A switch with a value, or a flag without one, would move the image to another place.
  takes: (argument: Json) =>
    isSwitchOf(dockerSwitches, argument) ||
    (argument.type === 'named' &&
      dockerFlags.includes(argument.name) &&
      (typeof argument.value === 'string' || (argument.value === undefined && isInput(argument)))),
};

function opensHost({ type, name }: Json): boolean {
  return type === 'named' && openFlags.includes(name);
}

function isSwitchOf(switches: readonly unknown[], argument: Json): boolean {
  const { type, name, value } = argument;
  if (type === 'positional') return switches.includes(value);
  return type === 'named' && switches.includes(name) && value === undefined && !isInput(argument);
}

function wordOf({ name, value, valueHint }: Json): string {
  const texts = [name, value ?? valueHint].filter((text) => typeof text === 'string');
  return printableLine(texts.join(' ') || '(without a name)', 100);
}

// Semantic Versioning 2.0.0: anything shorter is a range.
const npmVersion = /^v?\d+\.\d+\.\d+(?:-[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;
// PEP 440, without wildcards.
const pypiVersion =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z\d]+(?:[-_.][a-z\d]+)*)?$/i;
const imageTag = /^v?\d[\w.-]*$/;

/** A reason if it cannot be pinned. */
function runnerFor({ version, registryBaseUrl }: Json, type: string, identifier: string): Runner | string {
  const pinned = (form: RegExp) =>
    typeof version === 'string' && version.length <= bounds.version && form.test(version) ? version : undefined;
  const base = typeof registryBaseUrl === 'string' ? registryBaseUrl.replace(/\/+$/, '') : undefined;
  const isElsewhere = (...known: readonly string[]) => base !== undefined && !known.includes(base);
  switch (type) {
    case 'npm':
      if (!/^(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*$/.test(identifier)) return 'has a name that npm does not allow';
      if (pinned(npmVersion) === undefined) return notPinned;
      if (isElsewhere('https://registry.npmjs.org')) return `is at ${base}, which is not the registry of npm`;
      return { ...npx, what: [`${identifier}@${version}`] };
    case 'pypi':
      if (!/^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/.test(identifier)) return 'has a name that PyPI does not allow';
      if (pinned(pypiVersion) === undefined) return notPinned;
      if (isElsewhere('https://pypi.org', 'https://pypi.org/simple')) return `is at ${base}, which is not PyPI`;
      return { ...uvx, first: ['--from', `${identifier}==${version}`], what: [identifier] };
    case 'oci':
      return containerRunner(identifier, pinned(imageTag), base);
    default:
      return 'is of a kind that mcpx cannot start; it starts npm, pypi and oci';
  }
}

const notPinned = 'has no exact version, so it could change after you have looked at it';

function containerRunner(identifier: string, version: string | undefined, base: string | undefined): Runner | string {
  if (!/^[a-z0-9][\w./:-]*(?:@sha256:[0-9a-f]{64})?$/.test(identifier)) return 'has a name that no image can have';
  const tag = /:([\w][\w.-]*)$/.exec(identifier.split('@')[0] ?? '')?.[1];
  const hasDigest = identifier.includes('@sha256:');
  // A word such as "stable" names another image after each release.
  if (!hasDigest && (tag === undefined ? version === undefined : !imageTag.test(tag))) return notPinned;
  const host = base?.replace(/^https?:\/\//, '');
  if (host !== undefined && !/^[A-Za-z0-9][\w.-]*(?::\d+)?(?:\/[\w.-]+)*$/.test(host))
    return `is at ${host}, which is not the address of a registry`;
  const isHosted =
    host === undefined || identifier.startsWith(`${host}/`) || /^[\w-]+\.[\w.-]+(?::\d+)?\//.test(identifier);
  const name = isHosted ? identifier : `${host}/${identifier}`;
  const what = tag !== undefined || hasDigest ? name : `${name}:${version}`;
  const movable = `The author of ${what} can move its tag to another image, which then starts without a question. A digest cannot be moved: @sha256:...`;
  return { ...docker, what: [what], ...(!hasDigest && { note: movable }) };
}

type WordsOf = (lookUp: LookUp) => readonly string[];

function argumentOf(argument: Json, inputs: Inputs): WordsOf {
  const { type, name, valueHint, value } = argument;
  const flag = type === 'named' && typeof name === 'string' ? name : undefined;
  const hint = typeof valueHint === 'string' ? valueHint : 'argument';
  // A flag without a value is a switch.
  const isSwitch = flag !== undefined && value === undefined && !isInput(argument);
  if (isSwitch) return () => [asTemplate(flag)];
  const key = inputs.unique(flag?.replace(/^-+/, '') || hint);
  const read = inputs.read(argument, key);
  return (lookUp) => {
    const pieces = read(lookUp);
    if (pieces === undefined) return [];
    return flag === undefined ? [joined(pieces)] : [asTemplate(flag), joined(pieces)];
  };
}

function isInput({ isRequired, default: fallback, choices, description, format }: Json): boolean {
  return [isRequired, fallback, choices, description, format].some((field) => field !== undefined);
}

function remoteLaunch(item: Json, detail: Json): Launch | string {
  const { type, url } = item;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return `a remote has no http:// or https:// "url"`;
  if (type !== 'streamable-http' && type !== 'sse') return `the remote ${url} has the unknown type "${String(type)}"`;
  if (/[\p{Cc}\p{Cf}\s]/u.test(url)) return 'a remote has a "url" with blanks or control characters';
  const given = recordsIn(item.headers);
  if (given.length > bounds.inputs) return `the remote ${url} ${tooMany}`;
  const inputs = new Inputs(shortName(String(detail.name)));
  const address = inputs.readTemplate(url, recordOf(item.variables));
  const isHeaderName = (name: unknown): name is string =>
    typeof name === 'string' && /^[\w-]+$/.test(name) && name !== '__proto__';
  const headers = given.flatMap((header) => {
    const { name } = header;
    return isHeaderName(name) ? [[name, inputs.read(header, name)] as const] : [];
  });
  if (inputs.isFull) return `the remote ${url} ${tooMany}`;
  return {
    inputs: inputs.all,
    notes: given.filter(({ name }) => !isHeaderName(name)).map(({ name }) => leftOut('header', name)),
    entry: (value) => {
      const filledHeaders = filled(headers, value);
      const entry: ServerEntry = { url: joined(address(value) ?? [{ literal: url }]) };
      return Object.keys(filledHeaders).length > 0 ? { ...entry, headers: filledHeaders } : entry;
    },
  };
}

function filled(items: readonly (readonly [string, ValueOf])[], lookUp: LookUp): Readonly<Record<string, string>> {
  return Object.fromEntries(
    items.flatMap(([name, read]) => {
      const pieces = read(lookUp);
      return pieces === undefined ? [] : [[name, joined(pieces)] as const];
    }),
  );
}

function asTemplate(text: string): string {
  return joined([{ literal: text }]);
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function recordsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textsIn(value: unknown): readonly string[] | undefined {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  return texts.length > 0 ? texts : undefined;
}

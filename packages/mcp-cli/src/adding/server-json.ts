import { isRecord } from '@x/internal/json';
import { CommandError, exitCodes } from '../command.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import type { TransportWord } from '../writing-config/written-entry.js';
import {
  joined,
  type LookUp,
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
  return { name: shortName(detail.name), origin, notes: statusNotes(wrapped, origin), ...launch };
}

type Launch = Pick<OfferedServer, 'inputs' | 'entry'>;

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
    details: reasons.length > 0 ? reasons : ['it has neither "packages" nor "remotes" of the wanted transport'],
  });
}

const official = 'io.modelcontextprotocol.registry/official';

/** @throws {CommandError} The registry has deleted the server. */
function statusNotes(meta: Json, origin: string): readonly string[] {
  const { status, statusMessage } = recordOf(meta[official]);
  const why = typeof statusMessage === 'string' ? `: ${statusMessage}` : '';
  if (status === 'deleted') throw new CommandError(exitCodes.failed, `${origin} was deleted by its author${why}.`);
  return status === 'deprecated' ? [`${origin} is deprecated${why}.`] : [];
}

/** Collects inputs while the words of a launch are read. */
class Inputs {
  readonly all: ServerInput[] = [];
  readonly #server: string;

  constructor(server: string) {
    this.#server = server;
  }

  /** Pieces of a value: its fixed text, or the input that provides it. `undefined`: an optional one without a value. */
  read(item: Json, key: string, { variable }: { readonly variable?: string } = {}): ValueOf {
    const { value } = item;
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
  const before = recordsIn(item.runtimeArguments).map((argument) => argumentOf(argument, inputs));
  const behind = recordsIn(item.packageArguments).map((argument) => argumentOf(argument, inputs));
  const env = recordsIn(item.environmentVariables).flatMap((variable) => {
    const { name } = variable;
    if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name)) return [];
    return [[name, inputs.read(variable, name, { variable: name })] as const];
  });
  return {
    inputs: inputs.all,
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
  /** A container gets variables by name. */
  readonly passesEnv: boolean;
}

const exactVersion = /^v?\d[\w.+!-]*$/;

/** A reason if it cannot be pinned. */
function runnerFor({ version, registryBaseUrl }: Json, type: string, identifier: string): Runner | string {
  const isPinned = typeof version === 'string' && exactVersion.test(version);
  const base = typeof registryBaseUrl === 'string' ? registryBaseUrl.replace(/\/+$/, '') : undefined;
  const isElsewhere = (...known: readonly string[]) => base !== undefined && !known.includes(base);
  switch (type) {
    case 'npm':
      if (!/^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(identifier)) return 'has a name that npm does not allow';
      if (!isPinned) return notPinned;
      if (isElsewhere('https://registry.npmjs.org')) return `is at ${base}, which is not the registry of npm`;
      return { command: 'npx', first: ['-y'], what: [`${identifier}@${version}`], passesEnv: false };
    case 'pypi':
      if (!/^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/.test(identifier)) return 'has a name that PyPI does not allow';
      if (!isPinned) return notPinned;
      if (isElsewhere('https://pypi.org', 'https://pypi.org/simple')) return `is at ${base}, which is not PyPI`;
      return { command: 'uvx', first: ['--from', `${identifier}==${version}`], what: [identifier], passesEnv: false };
    case 'oci':
      return containerRunner(identifier, isPinned ? version : undefined, base);
    default:
      return 'is of a kind that mcpx cannot start; it starts npm, pypi and oci';
  }
}

const notPinned = 'has no exact version, so it could change after you have looked at it';

function containerRunner(identifier: string, version: string | undefined, base: string | undefined): Runner | string {
  if (!/^[a-z0-9][\w./:-]*(?:@sha256:[0-9a-f]{64})?$/.test(identifier)) return 'has a name that no image can have';
  const tag = /:([\w][\w.-]*)$/.exec(identifier.split('@')[0] ?? '')?.[1];
  if (!identifier.includes('@sha256:') && (tag === 'latest' || (tag === undefined && version === undefined)))
    return notPinned;
  const host = base?.replace(/^https?:\/\//, '');
  const isHosted =
    host === undefined || identifier.startsWith(`${host}/`) || /^[\w-]+\.[\w.-]+(?::\d+)?\//.test(identifier);
  const name = isHosted ? identifier : `${host}/${identifier}`;
  const isComplete = tag !== undefined || identifier.includes('@sha256:');
  const what = isComplete ? name : `${name}:${version}`;
  return { command: 'docker', first: ['run', '-i', '--rm'], what: [what], passesEnv: true };
}

type WordsOf = (lookUp: LookUp) => readonly string[];

function argumentOf(argument: Json, inputs: Inputs): WordsOf {
  const { type, name, valueHint, value } = argument;
  const flag = type === 'named' && typeof name === 'string' ? name : undefined;
  const hint = typeof valueHint === 'string' ? valueHint : 'argument';
  // A flag without a value is a switch.
  const isSwitch = flag !== undefined && value === undefined && !isInput(argument);
  if (isSwitch) return () => [asTemplate(flag)];
  const key = uniqueKey(flag?.replace(/^-+/, '') || hint, inputs);
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

function uniqueKey(key: string, { all }: Inputs): string {
  const isTaken = (candidate: string) => all.some((input) => input.key === candidate);
  if (!isTaken(key)) return key;
  for (let number = 2; ; number += 1) if (!isTaken(`${key}${number}`)) return `${key}${number}`;
}

function remoteLaunch(item: Json, detail: Json): Launch | string {
  const { type, url } = item;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return `a remote has no http:// or https:// "url"`;
  if (type !== 'streamable-http' && type !== 'sse') return `the remote ${url} has the unknown type "${String(type)}"`;
  const inputs = new Inputs(shortName(String(detail.name)));
  const address = inputs.readTemplate(url, recordOf(item.variables));
  const headers = recordsIn(item.headers).flatMap((header) => {
    const { name } = header;
    return typeof name === 'string' && /^[\w-]+$/.test(name) ? [[name, inputs.read(header, name)] as const] : [];
  });
  return {
    inputs: inputs.all,
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

import type { Argument, Command, Option } from 'commander';
import { commonFirst } from '../command-line/common-first.js';

/** Kinds of names that only the config or the servers know. */
export type NameKind =
  | 'servers'
  /** Including those of the fleet. */
  | 'all-servers'
  | 'roles'
  | 'tools'
  /** Host apps. */
  | 'hosts'
  /** Unreachable nodes of the fleet. */
  | 'lost-nodes';

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Completion {
  /** Candidates from the commands themselves. */
  readonly candidates: readonly Candidate[];
  /** Names of this kind may follow, too. */
  readonly names?: NameKind | undefined;
  /** File paths may follow, too. */
  readonly files: boolean;
  /** The typed part of the word, without `before`. */
  readonly typed: string;
  /** Prefix that the shell requires for each value, such as `--role=`. */
  readonly before: string;
  /** Config files that the command line names. */
  readonly config: readonly string[];
}

/**
 * Candidates after `words`, the last of which is incomplete or empty. Uses only the commands.
 *
 * @param words - Words between `mcpx` and the cursor. bash passes `=` as a word.
 */
export function complete(program: Command, words: readonly string[]): Completion {
  const { done, typed, before, joined } = lastWord(words);
  const place = placeOf(program, commonFirst(done));
  const common = { typed, before: joined ? '' : before, config: place.config };
  const option = before === '' ? place.awaiting : longOption(place.command, before.slice(0, -1));
  if (before !== '' || option) return { ...common, ...withOthers(valuesOf(option, typed), place.command) };
  if (typed.startsWith('-') && !place.isOnlyArguments) {
    return { ...common, candidates: fitting(optionsOf(place.command), typed), files: false };
  }
  const argument = argumentAt(place.command, place.argumentCount);
  const commands = place.argumentCount === 0 ? commandsOf(place.command) : [];
  const values = valuesOf(argument, typed);
  return { ...common, ...values, candidates: [...fitting(commands, typed), ...values.candidates] };
}

interface LastWord {
  readonly done: readonly string[];
  readonly typed: string;
  /** `--role=` if the value follows directly. */
  readonly before: string;
  /** The shell treats the value as a separate word. */
  readonly joined: boolean;
}

function lastWord(words: readonly string[]): LastWord {
  const last = words.at(-1) ?? '';
  const [option = '', sign] = words.slice(-3);
  if (words.length >= 3 && sign === '=' && option.startsWith('--')) {
    return { done: words.slice(0, -3), typed: last, before: `${option}=`, joined: true };
  }
  if (words.length >= 2 && last === '=' && words.at(-2)?.startsWith('--')) {
    return { done: words.slice(0, -2), typed: '', before: `${words.at(-2)}=`, joined: true };
  }
  const end = last.startsWith('--') ? last.indexOf('=') + 1 : 0;
  return { done: words.slice(0, -1), typed: last.slice(end), before: last.slice(0, end), joined: false };
}

interface Place {
  readonly command: Command;
  /** Number of arguments before the cursor. */
  readonly argumentCount: number;
  /** The option whose value follows. */
  readonly awaiting: Option | undefined;
  /** Set after `--`: no further word is an option. */
  readonly isOnlyArguments: boolean;
  readonly config: readonly string[];
}

function placeOf(program: Command, words: readonly string[]): Place {
  let command = program;
  let argumentCount = 0;
  let awaiting: Option | undefined;
  let isOnlyArguments = false;
  const config: string[] = [];
  for (const word of words) {
    if (awaiting) {
      if (awaiting.long === '--config') config.push(word);
      awaiting = undefined;
    } else if (word === '--') isOnlyArguments = true;
    else if (word.startsWith('-') && !isOnlyArguments) {
      const [name = '', value] = word.split(/=(.*)/s);
      const option = longOption(command, name);
      if (option && takesValue(option)) {
        if (value === undefined) awaiting = option;
        else if (option.long === '--config') config.push(value);
      }
    } else {
      const next = argumentCount === 0 && command.commands.find((each) => each.name() === word);
      if (next) command = next;
      else argumentCount += 1;
    }
  }
  return { command, argumentCount, awaiting, isOnlyArguments, config };
}

function longOption(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** The last argument of a command may be repeatable. */
function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

function valuesOf(
  what: Argument | Option | undefined,
  typed: string,
): Pick<Completion, 'candidates' | 'names' | 'files'> {
  if (!what) return { candidates: [], files: false };
  const choices = (what.argChoices ?? []).map((value) => ({ value }));
  const kind = 'flags' in what ? (/[<[]([\w-]+)/.exec(what.flags)?.[1] ?? '') : what.name();
  return {
    candidates: fitting(choices, typed),
    names: nameKinds[kind],
    files: kind === 'path' || kind === 'file' || kind === 'folder',
  };
}

/** Kinds by the names of arguments and option values in the help. */
const nameKinds: Readonly<Record<string, NameKind | undefined>> = {
  server: 'servers',
  servers: 'servers',
  role: 'roles',
  tool: 'tools',
  host: 'hosts',
  hosts: 'hosts',
  'lost-node': 'lost-nodes',
};

/** Only `search` accepts servers of other nodes by name. */
function withOthers<Values extends Pick<Completion, 'names'>>(values: Values, command: Command): Values {
  return command.name() === 'search' && values.names === 'servers' ? { ...values, names: 'all-servers' } : values;
}

function commandsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }));
}

function optionsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

export function fitting(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

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
  const { done, typed, before, isJoined } = lastWord(words);
  const position = positionOf(program, commonFirst(done));
  const common = { typed, before: isJoined ? '' : before, config: position.config };
  const option = before === '' ? position.pendingOption : findOption(position.command, before.slice(0, -1));
  if (before !== '' || option) return { ...common, ...withOthers(valuesOf(option, typed), position.command) };
  if (typed.startsWith('-') && !position.isOnlyArguments) {
    return { ...common, candidates: matching(optionsOf(position.command), typed), files: false };
  }
  const argument = argumentAt(position.command, position.argumentCount);
  const commands = position.argumentCount === 0 ? commandsOf(position.command) : [];
  const values = valuesOf(argument, typed);
  return { ...common, ...values, candidates: [...matching(commands, typed), ...values.candidates] };
}

interface LastWord {
  readonly done: readonly string[];
  readonly typed: string;
  /** `--role=` if the value follows directly. */
  readonly before: string;
  /** The shell treats the value as a separate word. */
  readonly isJoined: boolean;
}

function lastWord(words: readonly string[]): LastWord {
  const last = words.at(-1) ?? '';
  const [option = '', sign] = words.slice(-3);
  if (words.length >= 3 && sign === '=' && option.startsWith('--')) {
    return { done: words.slice(0, -3), typed: last, before: `${option}=`, isJoined: true };
  }
  if (words.length >= 2 && last === '=' && words.at(-2)?.startsWith('--')) {
    return { done: words.slice(0, -2), typed: '', before: `${words.at(-2)}=`, isJoined: true };
  }
  const end = last.startsWith('--') ? last.indexOf('=') + 1 : 0;
  return { done: words.slice(0, -1), typed: last.slice(end), before: last.slice(0, end), isJoined: false };
}

interface Position {
  readonly command: Command;
  /** Number of arguments before the cursor. */
  readonly argumentCount: number;
  /** The option whose value follows. */
  readonly pendingOption: Option | undefined;
  /** Set after `--`: no further word is an option. */
  readonly isOnlyArguments: boolean;
  readonly config: readonly string[];
}

function positionOf(program: Command, words: readonly string[]): Position {
  let command = program;
  let argumentCount = 0;
  let pendingOption: Option | undefined;
  let isOnlyArguments = false;
  const config: string[] = [];
  for (const word of words) {
    if (pendingOption) {
      if (pendingOption.long === '--config') config.push(word);
      pendingOption = undefined;
    } else if (word === '--') isOnlyArguments = true;
    else if (word.startsWith('-') && !isOnlyArguments) {
      const [name = '', value] = word.split(/=(.*)/s);
      const option = findOption(command, name);
      if (option && takesValue(option)) {
        if (value === undefined) pendingOption = option;
        else if (option.long === '--config') config.push(value);
      }
    } else {
      const next = argumentCount === 0 && command.commands.find((each) => each.name() === word);
      if (next) command = next;
      else argumentCount += 1;
    }
  }
  return { command, argumentCount, pendingOption, isOnlyArguments, config };
}

function findOption(command: Command, name: string): Option | undefined {
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
    candidates: matching(choices, typed),
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

export function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

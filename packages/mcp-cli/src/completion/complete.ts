import type { Argument, Command, Option } from 'commander';
import { commonOptions } from '../command-line/common-first.js';
import { configWord } from '../config/config-names.js';

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

/** What follows the tool in `mcpx call`. */
export interface ArgumentsRequest {
  readonly tool: string;
  /** Arguments before the cursor, as written. */
  readonly given: readonly string[];
  /** Its value follows. `undefined`: the name of an argument does. */
  readonly key?: string | undefined;
  /** Names stand in options: `--name`. */
  readonly isOption: boolean;
}

export interface Completion {
  /** Candidates from the commands themselves. */
  readonly candidates: readonly Candidate[];
  /** Names of this kind may follow, too. */
  readonly names?: NameKind | undefined;
  /** Arguments of this tool may follow, too. */
  readonly arguments?: ArgumentsRequest | undefined;
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
 * @param words - Words between `mcpx` and the cursor, as written in the shell. bash passes `=` and `:` as words.
 */
export function complete(program: Command, words: readonly string[]): Completion {
  const { done, last, isJoined } = joinedWords(words.map(withoutQuotes));
  const position = positionOf(program, done);
  const { command, pendingOption, config } = position;
  const split = (end: number) => ({ typed: last.slice(end), before: isJoined ? '' : last.slice(0, end), config });
  if (pendingOption) return { ...split(0), ...withOthers(valuesOf(pendingOption, last), command) };
  const short = isOption(last, position) ? shortWithValue(command, last) : undefined;
  if (short) return { ...split(2), ...withOthers(valuesOf(short, last.slice(2)), command) };
  const ownEnd = isOption(last, position) ? last.indexOf('=') + 1 : 0;
  const own = ownEnd > 0 ? findOption(command, last.slice(0, ownEnd - 1)) : undefined;
  if (own) return { ...split(ownEnd), ...withOthers(valuesOf(own, last.slice(ownEnd)), command) };
  const tool = toolBefore(position);
  if (tool !== undefined) return { ...split(keyEnd(last)), ...afterTool(tool, last, position) };
  if (ownEnd > 0) return { ...split(ownEnd), candidates: [], files: false };
  if (isOption(last, position)) {
    return { ...split(0), candidates: matching(optionsOf(command), last), files: false };
  }
  const argument = argumentAt(command, position.arguments.length);
  const commands = position.arguments.length === 0 ? commandsOf(command) : [];
  const values = valuesOf(argument, last);
  return { ...split(0), ...values, candidates: [...matching(commands, last), ...values.candidates] };
}

interface JoinedWords {
  readonly done: readonly string[];
  readonly last: string;
  /** The shell treats the part of `last` behind its sign as a separate word. */
  readonly isJoined: boolean;
}

/** Removes the quotes of a value, of which the last may be missing, or the backslashes before blanks. */
function withoutQuotes(word: string): string {
  const [, key, , value] = /^((?:[^"']*[=:]|-\w)?)(["'])([^"']*)\2?$/.exec(word) ?? [];
  return value === undefined ? word.replaceAll('\\ ', ' ') : `${key}${value}`;
}

/** Takes back that bash splits words at `=` and `:`. */
function joinedWords(words: readonly string[]): JoinedWords {
  const joined: string[] = [];
  let isJoined = false;
  for (const [index, word] of words.entries()) {
    const isSign = /^(?:=|:=?)$/.test(word) && joined.length > 0;
    isJoined = isSign || (isJoined && /^(?:=|:=?)$/.test(words[index - 1] ?? ''));
    if (isJoined) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return { done: joined.slice(0, -1), last: joined.at(-1) ?? '', isJoined };
}

function isOption(word: string, { isOnlyArguments }: Position): boolean {
  return word.startsWith('-') && !isOnlyArguments;
}

/** The tool whose arguments follow. */
function toolBefore({ command, arguments: [tool] }: Position): string | undefined {
  return command.name() === 'call' ? tool : undefined;
}

/** End of `key=`, `key:=`, `key:` or `--key=`; 0 if there is no value yet. */
function keyEnd(word: string): number {
  return /^(?:--[^=]*?|[^-:={["'][^:={["']*?)(?::=|=|:)/.exec(word)?.[0].length ?? 0;
}

function afterTool(
  tool: string,
  last: string,
  position: Position,
): Pick<Completion, 'candidates' | 'files' | 'arguments'> {
  const [, ...given] = position.arguments;
  const [, named] = /^--([^=]+)$/.exec(given.at(-1) ?? '') ?? [];
  const end = keyEnd(last);
  const asOption = end === 0 && last.startsWith('-');
  const candidates = asOption && isOption(last, position) ? matching(optionsOf(position.command), last) : [];
  const key = end > 0 ? last.slice(0, end).replace(/^--|:?=$|:$/g, '') : asOption ? undefined : named;
  return { candidates, files: false, arguments: { tool, given, key, isOption: asOption } };
}

interface Position {
  readonly command: Command;
  /** Arguments before the cursor. Those of a tool may begin with dashes. */
  readonly arguments: readonly string[];
  /** The option whose value follows. */
  readonly pendingOption: Option | undefined;
  /** Set after `--`: no further word is an option. */
  readonly isOnlyArguments: boolean;
  readonly config: readonly string[];
}

function positionOf(program: Command, words: readonly string[]): Position {
  let command = program;
  let pendingOption: Option | undefined;
  let isOnlyArguments = false;
  const found: string[] = [];
  const config: string[] = [];
  for (const word of words) {
    if (pendingOption) {
      config.push(...configWords(pendingOption, word));
      pendingOption = undefined;
    } else if (word === '--') isOnlyArguments = true;
    else if (word.startsWith('-') && !isOnlyArguments) {
      const short = shortWithValue(command, word);
      const [name = '', value] = short ? [short.short, word.slice(2)] : word.split(/=(.*)/s);
      const option = short ?? findOption(command, name);
      if (option && takesValue(option)) {
        if (value === undefined) pendingOption = option;
        else config.push(...configWords(option, value));
      } else if (!option && command.name() === 'call' && found.length > 0) found.push(word);
    } else {
      const next = found.length === 0 && command.commands.find((each) => each.name() === word);
      if (next) command = next;
      else found.push(word);
    }
  }
  return { command, arguments: found, pendingOption, isOnlyArguments, config };
}

/** What the option adds to the names of the config. */
function configWords({ long }: Option, value: string): readonly string[] {
  if (long === '--config') return [value];
  if (long === '--from') return [configWord('hosts', value)];
  return long === '--env-file' ? [configWord('envFiles', value)] : [];
}

function findOption(command: Command, name: string): Option | undefined {
  return visibleOptions(command).find(({ long, short }) => long === name || short === name);
}

/** The option of a word such as `-cpath`. */
function shortWithValue(command: Command, word: string): Option | undefined {
  if (word.length <= 2 || word.startsWith('--')) return undefined;
  const option = findOption(command, word.slice(0, 2));
  return option && takesValue(option) ? option : undefined;
}

/** Common options may stand before the command. */
function visibleOptions(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  if (command.parent) return own;
  const options = command.commands.flatMap((each) => each.options);
  const common = commonOptions.flatMap((each) => options.find(({ long }) => long === each.long) ?? []);
  return [...common, ...own];
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
  return visibleOptions(command).map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

export function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

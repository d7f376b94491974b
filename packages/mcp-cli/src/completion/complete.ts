import type { Argument, Command, Option } from 'commander';
import { commonFirst } from '../command-line/common-first.js';

/** What can be named that only the config or the servers know. */
export type NameKind =
  | 'servers'
  /** Those of the fleet, too. */
  | 'all-servers'
  | 'roles'
  | 'tools'
  /** Host apps. */
  | 'hosts'
  /** Nodes of the fleet that are gone. */
  | 'lost-nodes';

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** What may come next on a command line. */
export interface Completion {
  /** Known from the commands themselves, and fit what is typed so far. */
  readonly candidates: readonly Candidate[];
  /** Names of this kind may come next, too. */
  readonly names?: NameKind | undefined;
  /** Paths of files may come next, too. */
  readonly files: boolean;
  /** What is typed of the word so far, without `before`. */
  readonly typed: string;
  /** What the shell wants in front of each value, as in `--role=`. */
  readonly before: string;
  /** Config files that the command line names so far. */
  readonly config: readonly string[];
}

/**
 * What may follow `words`, of which the last one is being typed and may be empty. Knows nothing but the commands.
 *
 * @param words - What stands after `mcpx`, up to the cursor. A `=` may be a word of its own, as bash has it.
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
  /** `--role=` where the value is typed right behind its option. */
  readonly before: string;
  /** The shell counts the value as a word of its own. */
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
  /** How many arguments the command has been given. */
  readonly argumentCount: number;
  /** The option whose value comes next. */
  readonly awaiting: Option | undefined;
  /** After `--` nothing is an option any more. */
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

/** The last argument of a command may be given again and again. */
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

/** By what arguments and values of options are called in the help. */
const nameKinds: Readonly<Record<string, NameKind | undefined>> = {
  server: 'servers',
  servers: 'servers',
  role: 'roles',
  tool: 'tools',
  host: 'hosts',
  hosts: 'hosts',
  'lost-node': 'lost-nodes',
};

/** The one command that takes servers of other nodes by their names: all else is about those that this node runs. */
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

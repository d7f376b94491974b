import type { Command } from 'commander';
import type { CommonOptions } from '../command.js';
import type { InspectOptions } from '../commands/inspect.js';
import type { TypesOptions } from '../commands/types.js';
import { configNames } from '../config/config-names.js';
import { didYouMean } from '../output/print.js';
import { addCommand, type CommandTable, collect, positiveNumber, wholeNumber } from './add-command.js';

/** Commands for tools, resources and prompts. */
export const toolCommands: CommandTable = {
  discover: (program, choose) => {
    addCommand(program, 'discover', 'list the tools of one server, or the known tools of all', { starts: true })
      .alias('tools')
      .argument('[server]', 'name of a server in the config')
      .option('--refresh', 'request new lists; starts the server, or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => {
          const { discover, listKnown } = await import('../commands/search.js');
          return server === undefined ? listKnown(options, io) : discover({ ...options, server }, io);
        }),
      );
  },
  search: (program, choose) => {
    addCommand(program, 'search', 'search tools by words or by a regular expression', { starts: true })
      .argument('<query...>', 'words such as read a file, or a pattern with --regex')
      .option('--regex', 'treat the query as a regular expression (RE2 syntax, linear time)')
      .option('--role <role>', 'search only the tools of this role')
      .option('--server <server>', 'search only the tools of this server')
      .option('--limit <number>', 'maximum number of results, 1 to 100', wholeNumber(1, 100), 10)
      .option('--refresh', 'request new lists first; starts servers with auto_start')
      .action(
        (
          words: string[],
          options: CommonOptions & {
            regex?: boolean;
            role?: string;
            server?: string;
            limit: number;
            refresh?: boolean;
          },
        ) =>
          choose(async (io) =>
            (await import('../commands/search.js')).search({ ...options, query: words.join(' ') }, io),
          ),
      );
  },
  describe: (program, choose) => {
    addCommand(program, 'describe', 'show the description and the arguments of a tool')
      .argument('<tool>', 'name as listed by "mcpx search", or server.tool')
      .option('--role <role>', 'use this role; tools that it may not use do not exist')
      .action((tool: string, options: CommonOptions & { role?: string }) =>
        choose(async (io) => (await import('../commands/call.js')).describe({ ...options, tool }, io)),
      );
  },
  types: (program, choose) => {
    const command = addCommand(program, 'types', 'write TypeScript declarations of the known tools')
      .argument('[url-or-command]', 'a server that is in no config; it is started (default: all of the config)')
      .option('--role <role>', 'only tools of this role')
      .option('-o, --output <file>', 'file to write (default: stdout)');
    withUnlisted(command)
      .option('--timeout <seconds>', 'time limit for the start of that server', positiveNumber)
      .action((target: string | undefined, options: Omit<TypesOptions, 'target'>) =>
        choose(async (io) => (await import('../commands/types.js')).types({ ...options, target }, io)),
      );
  },
  call: (program, choose) => {
    const command = addCommand(program, 'call', 'call one tool and print its result', { starts: true })
      .showHelpAfterError('Run "mcpx call --help" for the spellings of arguments and for the options.')
      .allowUnknownOption() // arguments of the tool
      .argument(
        '<tool>',
        'name as listed by "mcpx search", server.tool, or the URL or command of a server and then its tool',
      )
      .argument('[arguments...]', 'key=value, --key value, a JSON object, or - to read one from stdin')
      .option('--role <role>', 'use this role; tools that it may not use do not exist')
      .option('--yes', 'approve the call without a prompt, if the role requires an approval')
      .option('--timeout <seconds>', 'time limit for the result', positiveNumber, 60)
      .option('-o, --output <directory>', 'directory for binary data (default: a new temporary one)');
    withUnlisted(command)
      .addHelpText('after', callHelp)
      .action((tool: string, words: string[], options: CallOptions, command: Command) => {
        requireKnownOption(tool, command);
        const own = ownOptions(command);
        choose(async (io) => (await import('../commands/call.js')).call({ ...options, tool, words, own }, io));
      });
  },
  inspect: (program, choose) => {
    const command = program
      .command('inspect')
      .description('show what a server that is in no config offers')
      .showHelpAfterError('Run "mcpx inspect --help" for its arguments and options.')
      .argument('<url-or-command>', 'URL, or a command with its arguments as one word')
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'also show stderr of the server and stacks of errors')
      .option('--timeout <seconds>', 'time limit for its start', positiveNumber)
      .allowExcessArguments(false);
    withUnlisted(command).action((target: string, options: Omit<InspectOptions, 'target'>) =>
      choose(async (io) => (await import('../commands/inspect.js')).inspect({ ...options, target }, io)),
    );
  },
  context: (program, choose) => {
    addCommand(program, 'context', 'estimate the tokens that tools cost a model')
      .option('--role <role>', 'count only the tools of this role')
      .option('--turns <number>', 'requests of a session, 1 to 1000', wholeNumber(1, 1_000), 20)
      .action((options: CommonOptions & { role?: string; turns: number }) =>
        choose(async (io) => (await import('../commands/context.js')).context(options, io)),
      );
  },
  resources: (program, choose) => {
    const resources = program.command('resources').description('list and read resources of servers');
    addCommand(resources, 'list', 'list the known resources (default command)', { isDefault: true, starts: true })
      .argument('[server]', 'name of a server in the config (default: all)')
      .option('--refresh', 'request new lists; starts the named server or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/offers.js')).resources({ ...options, server }, io)),
      );
    addCommand(resources, 'read', 'print the contents of a resource', { starts: true })
      .argument('<uri>', 'URI as listed by "mcpx resources"')
      .option('--server <server>', 'name of its server (default: the one that lists it)')
      .option('-o, --output <directory>', 'directory for binary data (default: a new temporary one)')
      .action((uri: string, options: CommonOptions & { server?: string; output?: string }) =>
        choose(async (io) => (await import('../commands/offers.js')).readResource({ ...options, uri }, io)),
      );
  },
  prompts: (program, choose) => {
    const prompts = program.command('prompts').description('list and get prompts of servers');
    addCommand(prompts, 'list', 'list the known prompts (default command)', { isDefault: true, starts: true })
      .argument('[server]', 'name of a server in the config (default: all)')
      .option('--refresh', 'request new lists; starts the named server or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/offers.js')).prompts({ ...options, server }, io)),
      );
    addCommand(prompts, 'get', 'print the messages of a prompt', { starts: true })
      .argument('<server>', 'name of a server in the config')
      .argument('<prompt>', 'name of the prompt')
      .argument('[arguments...]', 'key=value')
      .action((server: string, prompt: string, words: string[], options: CommonOptions) =>
        choose(async (io) =>
          (await import('../commands/offers.js')).getPrompt({ ...options, server, prompt, words }, io),
        ),
      );
  },
};

/** Arguments of the tool stand behind it, so an unknown option before it is a mistake. */
function requireKnownOption(tool: string, command: Command): void {
  if (!tool.startsWith('-')) return;
  const hint = didYouMean(tool, ownOptions(command).all).trim();
  command.error(`error: unknown option '${tool}'${hint === '' ? '' : `\n(${hint})`}`, {
    code: 'commander.unknownOption',
  });
}

function ownOptions(command: Command): { readonly all: readonly string[]; readonly given: readonly string[] } {
  const options = command.options.filter(({ long }) => long !== undefined && long !== null);
  const names = options.map(({ long }) => long ?? '');
  const { files, hosts, envFiles } = configNames(command.getOptionValue('config'));
  // These three have one value.
  const named = new Map([
    ['--config', files],
    ['--from', hosts],
    ['--env-file', envFiles],
  ]);
  const given = options.filter(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === 'cli' && named.get(option.long ?? '')?.length !== 0,
  );
  return { all: names, given: given.map(({ long }) => long ?? '') };
}

/** Options for a server that is in no config. */
function withUnlisted(command: Command): Command {
  return command
    .option('--env <NAME=value>', 'environment variable of a server that is in no config (repeatable)', collect)
    .option('--header <header>', 'HTTP header "Name: value" of such a server (repeatable)', collect);
}

const callHelp = `
Arguments of the tool, with the types of its schema:
  key=value, key:value          one argument; repeated for a list
  --key value, --key=value      the same; --key and --no-key for a boolean
  key:=json                     JSON, regardless of the schema
  '{"key": "value"}', -         one object, on the command line or on stdin
  'tool(key: 2, other: "x y")'  tool and arguments as one word
The options above are always options of mcpx. Words after -- are always arguments of the tool.`;

type CallOptions = CommonOptions & { role?: string; yes?: boolean; timeout: number; output?: string };

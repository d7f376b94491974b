import { Argument, InvalidArgumentError, Option } from 'commander';
import type { CommonOptions } from '../command-options.js';
import type { ImportOptions } from '../commands/import.js';
import type { InitOptions } from '../commands/init.js';
import type { LoginOptions } from '../commands/login.js';
import type { SyncOptions } from '../commands/sync.js';
import type { ValidateOptions } from '../commands/validate.js';
import { addCommand, type CommandTable } from './add-command.js';
import { collect, positiveNumber, wholeNumber } from './option-values.js';

/** Commands about the config, and about the config files of other programs. */
export const configCommands: CommandTable = {
  init: (program, choose) => {
    program
      .command('init')
      .description('write a config, with what host apps have if you like; never overwrites one')
      .option('--file <path>', 'where it is to be (default: mcp_servers.yaml)')
      .option('--from <host>', 'take servers from this host app, or "all" that are found; may be repeated', collect)
      .option('--yes', 'ask nothing')
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'show stacks of errors')
      .allowExcessArguments(false)
      .action((options: InitOptions) => choose(async (io) => (await import('../commands/init.js')).init(options, io)));
  },
  validate: (program, choose) => {
    addCommand(program, 'validate', 'check the config, and say which servers your tools need')
      .option('--sarif', 'print the issues as a SARIF log, for code hosts')
      .option('--strict', 'exit with 3 also for a denial that matches no tool, as far as tools are known')
      .action((options: ValidateOptions) =>
        choose(async (io) => (await import('../commands/validate.js')).validate(options, io)),
      );
  },
  sync: (program, choose) => {
    addCommand(program, 'sync', 'write servers into the config files of host apps, after showing what would change')
      .argument('[host...]', 'host apps such as cursor or claude; without any, all that are found')
      .addOption(scopeOption())
      .option('--dry-run', 'show what would change, and write nothing')
      .option('--check', 'the same, and exit with 1 when anything would change')
      .option('--yes', 'write without asking')
      .option('--force', 'also take over entries that somebody else wrote or edited')
      .addOption(extensionOption())
      .addOption(removeOption())
      .option('--gateway', 'write one entry, "mcpx serve", in place of all servers')
      .option('--role <role>', 'what that one entry may use; implies --gateway')
      .option('--name <name>', 'what that one entry is called (default: mcpx)')
      .option('--list', 'list the host apps that are known, and write nothing')
      .action((hosts: string[], options: Omit<SyncOptions, 'hosts'>) =>
        choose(async (io) => (await import('../commands/sync.js')).sync({ ...options, hosts }, io)),
      );
  },
  import: (program, choose) => {
    program
      .command('import')
      .description('print what host apps have as a config; secrets become references')
      .argument('[host...]', 'host apps such as cursor or claude; without any, all that are found')
      .addOption(scopeOption())
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'show stacks of errors')
      .action((hosts: string[], options: Omit<ImportOptions, 'hosts'>) =>
        choose(async (io) => (await import('../commands/import.js')).importHosts({ ...options, hosts }, io)),
      );
  },
  login: (program, choose) => {
    addCommand(program, 'login', 'sign in to a server in the browser (OAuth)', { starts: true })
      .argument('<server>', 'name of a server in the config')
      .option('--port <number>', 'port of 127.0.0.1 that the browser comes back to', wholeNumber(1, 65_535))
      .option('--timeout <seconds>', 'longest time to sign in', positiveNumber, 300)
      .option('--no-browser', 'open no browser, only print the address')
      .action((server: string, options: Omit<LoginOptions, 'server'>) =>
        choose(async (io) => (await import('../commands/login.js')).login({ ...options, server }, io)),
      );
  },
  logout: (program, choose) => {
    addCommand(program, 'logout', 'forget the sign-in to a server')
      .argument('<server>', 'name of a server in the config')
      .action((server: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/logout.js')).logout({ ...options, server }, io)),
      );
  },
};

function scopeOption(): Option {
  return new Option('--scope <scope>', 'files of the user, or of this project')
    .choices(['user', 'project'])
    .default('user');
}

/** One, since each extension owns what is written for it, and is planned and asked about by itself. */
function extensionOption(): Option {
  return new Option('--extension <folder>', 'write the servers of this extension, in place of those of the config')
    .conflicts(['config', 'gateway', 'role', 'name'])
    .argParser((folder: string, previous: string | undefined) => {
      if (previous === undefined) return folder;
      throw new InvalidArgumentError('Name one extension at a time.');
    });
}

function removeOption(): Option {
  return new Option('--remove', 'take out what was written for the config or the extension').conflicts([
    'gateway',
    'role',
    'name',
  ]);
}

/** The command that shells run for completion. */
export const completing = '__complete';

/** Commands that look after `mcpx` itself. */
export const helpingCommands: CommandTable = {
  doctor: (program, choose) => {
    addCommand(program, 'doctor', 'look for what keeps servers from running, and say how to put it right').action(
      (options: CommonOptions) => choose(async (io) => (await import('../commands/doctor.js')).doctor(options, io)),
    );
  },
  completion: (program, choose) => {
    program
      .command('completion')
      .description('print what your shell has to read so that Tab completes commands and names')
      .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish', 'pwsh']))
      .allowExcessArguments(false)
      .action((shell: 'bash' | 'zsh' | 'fish' | 'pwsh') =>
        choose(async (io) => (await import('../commands/completion.js')).completion(shell, io)),
      );
  },
  [completing]: (program, choose) => {
    program
      .command(completing, { hidden: true })
      .argument('[words...]')
      .option('--next')
      .action((words: string[], { next }: { next?: boolean }) =>
        choose(async (io) => {
          const { answerCompletion } = await import('../commands/completion.js');
          return answerCompletion({ words, ...(next && { next }) }, program, io);
        }),
      );
  },
};

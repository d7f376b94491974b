import { Argument, InvalidArgumentError, Option } from 'commander';
import type { CommonOptions } from '../command.js';
import type { ImportOptions, InitOptions } from '../commands/init.js';
import type { LoginOptions } from '../commands/login.js';
import type { SyncOptions } from '../commands/sync.js';
import type { ValidateOptions } from '../commands/validate.js';
import { addCommand, type CommandTable, collect, positiveNumber, wholeNumber } from './add-command.js';

/** Commands for the config and for the config files of other programs. */
export const configCommands: CommandTable = {
  init: (program, choose) => {
    program
      .command('init')
      .description('write a new config, with servers of host apps if you like')
      .option('--file <path>', 'path of the config (default: mcp_servers.yaml)')
      .option('--from <host>', 'import servers from this host app, or from "all" (repeatable)', collect)
      .option('--yes', 'do not prompt')
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'show stacks of errors')
      .allowExcessArguments(false)
      .action((options: InitOptions) => choose(async (io) => (await import('../commands/init.js')).init(options, io)));
  },
  validate: (program, choose) => {
    addCommand(program, 'validate', 'check the config and list the servers that tools need')
      .option('--sarif', 'print the issues as a SARIF log')
      .option(
        '--installed',
        'look for the commands and packages of servers, too, and exit with 1 if a required one is missing',
      )
      .option('--strict', 'exit with 3 also if a role names an unknown server or denies no known tool')
      .action((options: ValidateOptions) =>
        choose(async (io) => (await import('../commands/validate.js')).validate(options, io)),
      );
  },
  sync: (program, choose) => {
    addCommand(program, 'sync', 'show and write servers into the config files of host apps', { filesOnly: true })
      .argument('[host...]', 'host apps such as cursor or claude (default: all that are found)')
      .addOption(scopeOption())
      .option('--dry-run', 'show the changes without writing them')
      .option('--check', 'like --dry-run, and exit with 1 if anything would change')
      .option('--yes', 'write without a prompt')
      .option('--force', 'replace entries that you or another program wrote or edited')
      .addOption(extensionOption())
      .addOption(removeOption())
      .option('--gateway', 'write one entry, "mcpx serve", for all servers')
      .addOption(adoptOption())
      .option('--role <role>', 'role of that entry, which it implies, or with --no-gateway of the servers')
      .option('--no-gateway', 'with --role: write the servers, with the tools of the role in lists of the app')
      .option('--name <name>', 'name of that entry (default: mcpx)')
      .option('--list', 'list the known host apps, or what is known of the named ones, and write nothing')
      .action((hosts: string[], options: Omit<SyncOptions, 'hosts'>) =>
        choose(async (io) => (await import('../commands/sync.js')).sync({ ...options, hosts }, io)),
      );
  },
  import: (program, choose) => {
    program
      .command('import')
      .description('print the servers of host apps as a config')
      .argument('[host...]', 'host apps such as cursor or claude (default: all that are found)')
      .addOption(scopeOption())
      .option('--yes', 'do not prompt')
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'show stacks of errors')
      .action((hosts: string[], options: Omit<ImportOptions, 'hosts'>) =>
        choose(async (io) => (await import('../commands/init.js')).importHosts({ ...options, hosts }, io)),
      );
  },
  login: (program, choose) => {
    addCommand(program, 'login', 'sign in to a server in the browser (OAuth)', { starts: true })
      .argument('<server>', 'name of a server in the config, or a URL')
      .option('--port <number>', 'redirect port on 127.0.0.1 (default: any free port)', wholeNumber(1, 65_535))
      .option('--timeout <seconds>', 'time limit for the sign-in', positiveNumber, 300)
      .option('--no-browser', 'print the address without opening a browser')
      .action((server: string, options: Omit<LoginOptions, 'server'>) =>
        choose(async (io) => (await import('../commands/login.js')).login({ ...options, server }, io)),
      );
  },
  logout: (program, choose) => {
    addCommand(program, 'logout', 'delete the sign-in to a server')
      .argument('<server>', 'name of a server in the config, or a URL')
      .action((server: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/login.js')).logout({ ...options, server }, io)),
      );
  },
};

function scopeOption(): Option {
  return new Option('--scope <scope>', 'files of the user or of this project')
    .choices(['user', 'project'])
    .default('user');
}

/** A role may hide tools that the host app has now. */
function adoptOption(): Option {
  return new Option(
    '--adopt',
    'also remove entries of servers that it serves; "mcpx config undo" puts them back; implies --gateway',
  ).conflicts(['role', 'remove', 'extension']);
}

/** A single folder, because each extension owns its entries and gets its own plan and confirmation. */
function extensionOption(): Option {
  return new Option('--extension <folder>', 'write the servers of this extension instead of those of the config')
    .conflicts(['config', 'gateway', 'role', 'name'])
    .argParser((folder: string, previous: string | undefined) => {
      if (previous === undefined) return folder;
      throw new InvalidArgumentError('Name one extension at a time.');
    });
}

function removeOption(): Option {
  return new Option(
    '--remove',
    'remove the entries of the config or the extension, the gateway entry included',
  ).conflicts(['role', 'name']);
}

/** The command that completion scripts run. */
export const completing = '__complete';

/** Commands for `mcpx` itself. */
export const helpingCommands: CommandTable = {
  doctor: (program, choose) => {
    addCommand(program, 'doctor', 'find what keeps servers from running, and suggest remedies').action(
      (options: CommonOptions) => choose(async (io) => (await import('../commands/doctor.js')).doctor(options, io)),
    );
  },
  completion: (program, choose) => {
    program
      .command('completion')
      .description('print the completion script for a shell')
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

import { type Command, Option } from 'commander';
import type { AddOptions } from '../commands/add.js';
import type { UndoOptions } from '../commands/config-undo.js';
import type { EditOptions } from '../commands/edit.js';
import type { NamedServerOptions } from '../commands/remove.js';
import { addCommand, type CommandTable, collect, wholeNumber } from './add-command.js';

type Given<Options, Positional extends string> = Omit<Options, Positional>;

/** Commands that change a config file. */
export const changeCommands: CommandTable = {
  add: (program, choose) => {
    const command = addCommand(program, 'add', 'add a server to the config', { filesOnly: true, takesCommand: true })
      .argument('<name>', 'name of the new server, or alone a server.json, an .mcpb file or a name of the MCP Registry')
      .argument('[target...]', 'URL of the server, its command behind --, or one of these sources')
      .option(
        '-e, --env <NAME=value>',
        'environment variable; a variable takes the place of a secret (repeatable)',
        collect,
      )
      .option('-H, --header <header>', 'HTTP header "Name: value" (repeatable)', collect)
      .option('--cwd <folder>', 'directory that the server runs in')
      .addOption(new Option('-t, --transport <transport>', 'transport').choices(['stdio', 'http', 'sse']))
      .option('--input <NAME=value>', 'value of an input that the source describes (repeatable)', collect)
      .option('--registry <url>', 'MCP Registry (default: MCPX_REGISTRY, else the public one)')
      .option('--from <host>', 'take the server from this host app, or from "all"')
      .option('--trust', 'give consent to this server without a prompt')
      .option('--force', 'replace a server of this name');
    withPlace(command).action((name: string, target: string[], options: Given<AddOptions, 'name' | 'target'>) =>
      choose(async (io) => (await import('../commands/add.js')).add({ ...options, name, target }, io)),
    );
  },
  remove: (program, choose) => {
    withPlace(addCommand(program, 'remove', 'remove a server from the config', { filesOnly: true }))
      .argument('<server>', 'name of a server in the config')
      .action((server: string, options: Given<NamedServerOptions, 'server'>) =>
        choose(async (io) => (await import('../commands/remove.js')).remove({ ...options, server }, io)),
      );
  },
  enable: (program, choose) => {
    withPlace(addCommand(program, 'enable', 'let a disabled server start again', { filesOnly: true }))
      .argument('<server>', 'name of a server in the config')
      .action((server: string, options: Given<NamedServerOptions, 'server'>) =>
        choose(async (io) => (await import('../commands/remove.js')).enable({ ...options, server }, io)),
      );
  },
  disable: (program, choose) => {
    withPlace(addCommand(program, 'disable', 'keep a server in the config, but do not start it', { filesOnly: true }))
      .argument('<server>', 'name of a server in the config')
      .action((server: string, options: Given<NamedServerOptions, 'server'>) =>
        choose(async (io) => (await import('../commands/remove.js')).disable({ ...options, server }, io)),
      );
  },
  edit: (program, choose) => {
    withPlace(
      addCommand(program, 'edit', 'open the config in $VISUAL or $EDITOR, and check it before it is written', {
        filesOnly: true,
      }),
    )
      .argument('[server]', 'open the file that has this server, at its line')
      .action((server: string | undefined, options: EditOptions) =>
        choose(async (io) => (await import('../commands/edit.js')).edit({ ...options, server }, io)),
      );
  },
  config: (program, choose) => {
    const config = program.command('config').description('take back changes that mcpx made to config files');
    config
      .argument('[words...]')
      .allowUnknownOption()
      .helpCommand(false)
      .action(() =>
        program.error(
          `error: unknown command 'config'. "mcpx validate" checks the config and shows the servers that tools need; "mcpx config undo" takes back a change.`,
        ),
      );
    addCommand(config, 'undo', 'restore the files that the latest change of mcpx wrote here', { filesOnly: true })
      .argument('[change]', 'number of another change, from --list', wholeNumber(1, 1_000_000))
      .option('--list', 'list the changes that can be taken back, and write nothing')
      .option('--dry-run', 'show the difference without writing it')
      .option('--force', 'restore a file that has been edited since')
      .action((change: number | undefined, options: UndoOptions) =>
        choose(async (io) => (await import('../commands/config-undo.js')).configUndo({ ...options, change }, io)),
      );
  },
};

/** Options that name the file to change. */
function withPlace(command: Command): Command {
  return command
    .addOption(new Option('--scope <scope>', 'file of this project, or of the user').choices(['user', 'project']))
    .option('-g, --global', 'the same as --scope user')
    .addOption(new Option('--user', 'the same as --scope user').hideHelp())
    .option('--dry-run', 'show the difference without writing it');
}

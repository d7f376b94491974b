import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

/** Commands for resources and prompts. */
export const offerCommands: CommandTable = {
  resources: (program, choose) => {
    const resources = program.command('resources').description('list and read resources of servers');
    addCommand(resources, 'list', 'list the known resources (default command)', { isDefault: true, starts: true })
      .argument('[server]', 'name of a server in the config (default: all)')
      .option('--refresh', 'request new lists; starts the named server or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/resources.js')).resources({ ...options, server }, io)),
      );
    addCommand(resources, 'read', 'print the contents of a resource', { starts: true })
      .argument('<uri>', 'URI as listed by "mcpx resources"')
      .option('--server <server>', 'name of its server (default: the one that lists it)')
      .option('-o, --output <directory>', 'directory for binary data (default: a new temporary one)')
      .action((uri: string, options: CommonOptions & { server?: string; output?: string }) =>
        choose(async (io) => (await import('../commands/resources.js')).readResource({ ...options, uri }, io)),
      );
  },
  prompts: (program, choose) => {
    const prompts = program.command('prompts').description('list and get prompts of servers');
    addCommand(prompts, 'list', 'list the known prompts (default command)', { isDefault: true, starts: true })
      .argument('[server]', 'name of a server in the config (default: all)')
      .option('--refresh', 'request new lists; starts the named server or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/prompts.js')).prompts({ ...options, server }, io)),
      );
    addCommand(prompts, 'get', 'print the messages of a prompt', { starts: true })
      .argument('<server>', 'name of a server in the config')
      .argument('<prompt>', 'name of the prompt')
      .argument('[arguments...]', 'key=value')
      .action((server: string, prompt: string, words: string[], options: CommonOptions) =>
        choose(async (io) =>
          (await import('../commands/prompts.js')).getPrompt({ ...options, server, prompt, words }, io),
        ),
      );
  },
};

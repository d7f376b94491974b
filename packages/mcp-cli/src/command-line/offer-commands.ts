import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

/** Commands about resources and prompts. */
export const offerCommands: CommandTable = {
  resources: (program, choose) => {
    const resources = program.command('resources').description('list and read what servers have to be read');
    addCommand(resources, 'list', 'list resources, as far as they are known', { isDefault: true, starts: true })
      .argument('[server]', 'name of a server in the config; without it, all')
      .option('--refresh', 'ask the servers; starts the one that is named, or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/resources.js')).resources({ ...options, server }, io)),
      );
    addCommand(resources, 'read', 'print the contents of one resource', { starts: true })
      .argument('<uri>', 'as "mcpx resources" shows it')
      .option('--server <server>', 'which server has it; default: the one that lists it')
      .option('-o, --output <directory>', 'where binary data goes; default: a new temporary directory')
      .action((uri: string, options: CommonOptions & { server?: string; output?: string }) =>
        choose(async (io) => (await import('../commands/resources.js')).readResource({ ...options, uri }, io)),
      );
  },
  prompts: (program, choose) => {
    const prompts = program.command('prompts').description('list and fill in the prompts that servers have');
    addCommand(prompts, 'list', 'list prompts, as far as they are known', { isDefault: true, starts: true })
      .argument('[server]', 'name of a server in the config; without it, all')
      .option('--refresh', 'ask the servers; starts the one that is named, or those with auto_start')
      .action((server: string | undefined, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/prompts.js')).prompts({ ...options, server }, io)),
      );
    addCommand(prompts, 'get', 'print the messages of one prompt', { starts: true })
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

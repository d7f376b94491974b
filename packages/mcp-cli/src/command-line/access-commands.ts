import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

/** Commands about roles, approvals and consent. */
export const accessCommands: CommandTable = {
  trust: (program, choose) => {
    const trust = program.command('trust').description('agree to what the servers of a project run');
    addCommand(trust, 'add', 'show what they run and ask; "mcpx trust" alone does this, too', { isDefault: true })
      .argument('[dir]', 'directory of the project; default: the current one')
      .option('--yes', 'agree without being asked')
      .action((directory: string | undefined, options: CommonOptions & { yes?: boolean }) =>
        choose(async (io) => (await import('../commands/trust.js')).trust({ ...options, directory }, io)),
      );
    addCommand(trust, 'list', 'list what you have agreed to').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/trust.js')).listTrust(options, io)),
    );
    addCommand(trust, 'remove', 'take back what you have agreed to for a directory')
      .argument('[dir]', 'directory of the project; default: the current one')
      .action((directory: string | undefined, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/trust.js')).removeTrust({ ...options, directory }, io)),
      );
  },
  roles: (program, choose) => {
    const roles = program.command('roles').description('show who may use what');
    addCommand(roles, 'list', 'list the roles, their rules and how much they may use', { isDefault: true }).action(
      (options: CommonOptions) => choose(async (io) => (await import('../commands/roles.js')).roles(options, io)),
    );
    addCommand(roles, 'explain', 'say why a role may use a tool or may not')
      .argument('<role>', 'a role of the config')
      .argument('<tool>', 'public name, or server.tool')
      .action((role: string, tool: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/roles.js')).explainRole({ ...options, role, tool }, io)),
      );
  },
  pins: (program, choose) => {
    const pins = program.command('pins').description('look at and approve what tools say of themselves');
    addCommand(pins, 'list', 'list the tools that are offered, trusted or not', { isDefault: true })
      .argument('[server]', 'name of a server in the config; without it, all')
      .action((server: string | undefined, options: CommonOptions) =>
        choose(async (io) =>
          (await import('../commands/pins.js')).pins({ ...options, ...(server !== undefined && { server }) }, io),
        ),
      );
    addCommand(pins, 'diff', 'show what a tool says now against what was approved')
      .argument('<tool>', 'public name, or server.tool')
      .action((tool: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/pins.js')).pinDiff({ ...options, tool }, io)),
      );
    addCommand(pins, 'approve', 'approve tools as they are now')
      .argument('[tool...]', 'public names, or server.tool; with @digest, only what was read')
      .option('--server <server>', 'everything that this server offers')
      .action((tools: string[], options: CommonOptions & { server?: string }) =>
        choose(async (io) => (await import('../commands/pins.js')).approvePins({ ...options, tools }, io)),
      );
    addCommand(pins, 'revoke', 'take approvals back')
      .argument('[tool...]', 'public names, or server.tool')
      .option('--server <server>', 'all approvals of this server')
      .action((tools: string[], options: CommonOptions & { server?: string }) =>
        choose(async (io) => (await import('../commands/pins.js')).revokePins({ ...options, tools }, io)),
      );
    addCommand(pins, 'mode', 'say which servers need approvals')
      .argument('<mode>', 'all, pin-on-first-use or approve')
      .argument('[server...]', 'names of servers; without any, those without a mode of their own')
      .action((mode: string, servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/pins.js')).setTrustMode({ ...options, mode, servers }, io)),
      );
  },
};

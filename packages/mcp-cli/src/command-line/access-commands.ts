import type { CommonOptions } from '../command.js';
import { addCommand, type CommandTable } from './add-command.js';

/** Commands for roles, approvals, calls and consent. */
export const accessCommands: CommandTable = {
  trust: (program, choose) => {
    const trust = program.command('trust').description('give consent to the servers of a project');
    addCommand(trust, 'add', 'show what the servers run and ask for consent (default command)', { isDefault: true })
      .argument('[dir]', 'directory of the project (default: the current one)')
      .option('--yes', 'give consent without a prompt')
      .action((directory: string | undefined, options: CommonOptions & { yes?: boolean }) =>
        choose(async (io) => (await import('../commands/trust.js')).trust({ ...options, directory }, io)),
      );
    addCommand(trust, 'list', 'list all consents').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/trust.js')).listTrust(options, io)),
    );
    addCommand(trust, 'remove', 'withdraw the consent for a directory')
      .argument('[dir]', 'directory of the project (default: the current one)')
      .action((directory: string | undefined, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/trust.js')).removeTrust({ ...options, directory }, io)),
      );
  },
  roles: (program, choose) => {
    const roles = program.command('roles').description('show the roles of the config');
    addCommand(roles, 'list', 'list the roles with their rules and tools (default command)', {
      isDefault: true,
    }).action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/roles.js')).roles(options, io)),
    );
    addCommand(roles, 'explain', 'explain why a role may or may not use a tool')
      .argument('<role>', 'name of a role in the config')
      .argument('<tool>', 'public name or server.tool')
      .action((role: string, tool: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/roles.js')).explainRole({ ...options, role, tool }, io)),
      );
  },
  approvals: (program, choose) => {
    const approvals = program.command('approvals').description('show and answer calls that wait for an approval');
    addCommand(approvals, 'list', 'list the calls that wait in the daemon (default command)', {
      isDefault: true,
    }).action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/approvals.js')).approvals(options, io)),
    );
    addCommand(approvals, 'watch', 'answer at this terminal what waits, and what servers ask', {
      prints: false,
    }).action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/approvals.js')).watchApprovals(options, io)),
    );
    addCommand(approvals, 'approve', 'let a call run, once')
      .argument('<id>', 'id of the call, as listed')
      .action((id: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/approvals.js')).approveCall({ ...options, id }, io)),
      );
    addCommand(approvals, 'deny', 'refuse a call')
      .argument('<id>', 'id of the call, as listed')
      .option('--reason <text>', 'reason for the caller')
      .action((id: string, options: CommonOptions & { reason?: string }) =>
        choose(async (io) => (await import('../commands/approvals.js')).denyCall({ ...options, id }, io)),
      );
  },
  calls: (program, choose) => {
    addCommand(program, 'calls', 'list the latest calls through the daemon, newest last').action(
      (options: CommonOptions) => choose(async (io) => (await import('../commands/calls.js')).calls(options, io)),
    );
  },
  pins: (program, choose) => {
    const pins = program.command('pins').description('show and approve the definitions of tools');
    addCommand(pins, 'list', 'list all tools with their trust (default command)', { isDefault: true })
      .argument('[server]', 'name of a server in the config (default: all)')
      .action((server: string | undefined, options: CommonOptions) =>
        choose(async (io) =>
          (await import('../commands/pins.js')).pins({ ...options, ...(server !== undefined && { server }) }, io),
        ),
      );
    addCommand(pins, 'diff', 'show how a tool differs from its approved definition')
      .argument('<tool>', 'public name or server.tool')
      .action((tool: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/pins.js')).pinDiff({ ...options, tool }, io)),
      );
    addCommand(pins, 'approve', 'approve the current definitions of tools')
      .argument('[tool...]', 'public names or server.tool; with @digest only that definition')
      .option('--server <server>', 'approve everything that this server offers')
      .action((tools: string[], options: CommonOptions & { server?: string }) =>
        choose(async (io) => (await import('../commands/pins.js')).approvePins({ ...options, tools }, io)),
      );
    addCommand(pins, 'revoke', 'revoke approvals')
      .argument('[tool...]', 'public names or server.tool')
      .option('--server <server>', 'revoke all approvals of this server')
      .action((tools: string[], options: CommonOptions & { server?: string }) =>
        choose(async (io) => (await import('../commands/pins.js')).revokePins({ ...options, tools }, io)),
      );
    addCommand(pins, 'mode', 'set which servers need approvals')
      .argument('<mode>', 'all, pin-on-first-use or approve')
      .argument('[server...]', 'names of servers (default: all without a mode of their own)')
      .action((mode: string, servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/pins.js')).setTrustMode({ ...options, mode, servers }, io)),
      );
  },
};

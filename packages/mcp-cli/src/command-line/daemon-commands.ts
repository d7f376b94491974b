import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

/** Commands about the daemon itself. */
export const daemonCommands: CommandTable = {
  daemon: (program, choose) => {
    const daemon = program.command('daemon').description('look after the daemon itself');
    addCommand(daemon, 'status', 'say whether the daemon runs, and as what; exits with 1 when it does not').action(
      (options: CommonOptions) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonStatus(options, io)),
    );
    addCommand(daemon, 'reload', 'have the daemon read its config again').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/daemon.js')).daemonReload(options, io)),
    );
    addCommand(daemon, 'logs', "show the end of the daemon's own log")
      .option('-f, --follow', 'go on with what is added')
      .action((options: CommonOptions & { follow?: boolean }) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonLogs(options, io)),
      );
    addCommand(daemon, 'install', 'show a systemd user unit or launchd plist that keeps the daemon running')
      .option('--yes', 'write the file')
      .action((options: CommonOptions & { yes?: boolean }) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonInstall(options, io)),
      );
  },
};

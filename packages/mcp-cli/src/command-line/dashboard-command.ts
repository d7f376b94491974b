import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

/** The command that opens the dashboard. */
export const dashboardCommand: CommandTable = {
  dashboard: (program, choose) => {
    addCommand(program, 'dashboard', 'show the servers of the daemon on a page of this machine', { starts: true })
      .option('--no-open', 'print the link and open nothing')
      .option('--read-only', 'a link with which nothing can be started, stopped or approved')
      .action((options: CommonOptions & { open: boolean; readOnly?: boolean }) =>
        choose(async (io) => (await import('../commands/dashboard.js')).dashboard(options, io)),
      );
  },
};

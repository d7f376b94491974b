import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Io } from '../io.js';
import { addAccessCommands } from './access-commands.js';
import type { Choose } from './add-command.js';
import { addConfigCommands, addHelpingCommands } from './config-commands.js';
import { addDaemonCommands } from './daemon-commands.js';
import { addDashboard } from './dashboard-command.js';
import { addFleetCommands } from './fleet-commands.js';
import { addOfferCommands } from './offer-commands.js';
import { addServe } from './serve-command.js';
import { addServerCommands } from './server-commands.js';
import { addToolCommands } from './tool-commands.js';

/** Every command with its arguments and options. Parsing tells `choose` which one is meant; nothing runs yet. */
export function commandLine(io: Io, choose: Choose): Command {
  const program = new Command('mcpx')
    .description('Check, start, search, call and serve MCP servers.')
    .version(packageJson.version)
    .showHelpAfterError('Run "mcpx --help" to see every command.')
    .addHelpText('after', exitCodeHelp);
  // Sub-commands inherit these when they are added, so they come first.
  program.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    getOutHelpWidth: () => io.stdout.columns ?? 100,
    getErrHelpWidth: () => io.stderr.columns ?? 100,
  });

  addConfigCommands(program, choose);
  addServerCommands(program, choose);
  addToolCommands(program, choose);
  addOfferCommands(program, choose);
  addAccessCommands(program, choose);
  addServe(program, choose);
  addDaemonCommands(program, choose);
  addFleetCommands(program, choose);
  addHelpingCommands(program, choose);
  addDashboard(program, choose);
  // Only of this help: that of one command is never prepared.
  program.configureOutput({ getOutHelpWidth: () => helpWidth(io.stdout.columns) });
  return program;
}

/** The build prepares two widths; see `prepared-answer.ts`. */
function helpWidth(columns = 100): number {
  return columns >= 100 ? 100 : Math.min(columns, 80);
}

const exitCodeHelp = `
Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 config missing, wrong or not agreed to,
4 server did not start, 5 no such server or tool, 6 timed out, 130 interrupted.`;

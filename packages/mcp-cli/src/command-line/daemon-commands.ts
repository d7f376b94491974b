import type { Command } from 'commander';
import type { CommonOptions } from '../command.js';
import type { FleetJoinOptions, FleetPermissionsOptions, FleetStatusOptions } from '../commands/fleet.js';
import type { FleetForgetOptions } from '../commands/fleet-forget.js';
import { addCommand, type Choose, type CommandTable, collect } from './add-command.js';

export const daemonCommands: CommandTable = {
  daemon: (program, choose) => {
    const daemon = program.command('daemon').description('manage the daemon');
    addCommand(daemon, 'status', 'show the daemon; exits with 1 if none is running').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/daemon.js')).daemonStatus(options, io)),
    );
    addCommand(daemon, 'reload', 'make the daemon read its config again').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/daemon.js')).daemonReload(options, io)),
    );
    addCommand(daemon, 'logs', "show the end of the daemon's own log")
      .option('-f, --follow', 'continue with new lines')
      .action((options: CommonOptions & { follow?: boolean }) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonLogs(options, io)),
      );
    addCommand(daemon, 'install', 'print a systemd user unit or launchd plist for the daemon')
      .option('--yes', 'write the file')
      .action((options: CommonOptions & { yes?: boolean }) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonInstall(options, io)),
      );
  },
  fleet: (program, choose) => {
    const fleet = program.command('fleet').description('share servers with the daemons of other machines, over NATS');
    addJoin(fleet, choose);
    addCommand(fleet, 'leave', 'have the daemon leave its fleet and forget it').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/fleet.js')).fleetLeave(options, io)),
    );
    addCommand(fleet, 'status', 'show the nodes of the fleet and their servers; exits with 1 while not joined')
      .option('-w, --watch', 'continue until interrupted')
      .action((options: FleetStatusOptions) =>
        choose(async (io) => (await import('../commands/fleet.js')).fleetStatus(options, io)),
      );
    addForget(fleet, choose);
    addCommand(fleet, 'permissions', 'print what a nats-server needs in its configuration to keep nodes apart')
      .requiredOption('--node <name>', 'a node of the fleet; may be repeated', collect)
      .option('--fleet <name>', 'name of the fleet (default: default)')
      .option('--domain <name>', 'the JetStream domain of the hub, for nodes behind leaf nodes of NATS')
      .option('--administrator', 'add a login that may remove the records of lost nodes')
      .action((options: FleetPermissionsOptions) =>
        choose(async (io) => (await import('../commands/fleet.js')).fleetPermissions(options, io)),
      );
  },
};

export const dashboardCommand: CommandTable = {
  dashboard: (program, choose) => {
    addCommand(program, 'dashboard', 'open a local web page with the servers of the daemon', { starts: true })
      .option('--no-open', 'print the link without opening it')
      .option('--read-only', 'create a link that can change nothing, and call nothing but the search')
      .option('--no-calls', 'create a link that can start, stop and approve, but call no tool')
      .option('--record-calls', 'record arguments and results of calls in the memory of the daemon')
      .action((options: CommonOptions & { open: boolean; calls: boolean; readOnly?: boolean; recordCalls?: boolean }) =>
        choose(async (io) => (await import('../commands/dashboard.js')).dashboard(options, io)),
      );
  },
};

function addForget(fleet: Command, choose: Choose): void {
  const forget = addCommand(fleet, 'forget', 'remove the records of a node that does not come back')
    .argument('<lost-node>', 'name of the node')
    .argument('[nats-url...]', 'the NATS server (default: that of the fleet of the daemon)')
    .option('--fleet <name>', 'name of the fleet (default: that of the daemon; with a NATS server: default)')
    .option('--domain <name>', 'the JetStream domain of the hub (default: that of the daemon)');
  addLogin(forget)
    .option('--yes', 'do not prompt')
    .action((node: string, urls: string[], options: Omit<FleetForgetOptions, 'node' | 'urls'>) =>
      choose(async (io) => (await import('../commands/fleet-forget.js')).fleetForget({ ...options, node, urls }, io)),
    );
}

function addLogin(command: Command): Command {
  return command
    .option('--creds <file>', 'log in with these NATS credentials')
    .option('--user <name>', 'log in as this user, with --password-file')
    .option('--password-file <file>', 'the password of --user')
    .option('--token-file <file>', 'log in with this token')
    .option('--nkey-file <file>', 'log in with the seed of this NKey')
    .option('--tls-ca <file>', "certificates that the server's certificate is signed with (PEM)")
    .option('--tls-cert <file>', 'the certificate of this node (PEM)')
    .option('--tls-key <file>', 'the private key of that certificate (PEM)');
}

function addJoin(fleet: Command, choose: Choose): void {
  const join = addCommand(fleet, 'join', 'have the daemon join a fleet, now and whenever it runs')
    .argument('<nats-url...>', 'the NATS server, or several of one cluster, such as nats://10.0.0.5:4222')
    .option('--node <name>', 'name of this node in the fleet (default: that of the machine)')
    .option('--fleet <name>', 'name of the fleet (default: default)')
    .option('--domain <name>', 'the JetStream domain of the hub, for nodes behind leaf nodes of NATS')
    .option(
      '--replicas <count>',
      'copies of the keys that a cluster keeps, set by the first node (default: 1)',
      Number,
    );
  addLogin(join)
    .option('--no-wait', 'do not wait until it has joined')
    .action((urls: string[], options: Omit<FleetJoinOptions, 'urls'>) =>
      choose(async (io) => (await import('../commands/fleet.js')).fleetJoin({ ...options, urls }, io), {
        interrupted: 'Interrupted. "mcpx fleet status" shows whether the daemon has joined.',
      }),
    );
}

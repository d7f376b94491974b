import { createServer } from 'node:net';
import packageJson from '../../package.json' with { type: 'json' };
import { CommandError } from '../command.js';
import { isControlError } from '../control/control-error.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { fleetHint } from '../fleet/fleet-errors.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { loadMembership, membershipFile } from '../fleet/membership.js';
import { counted, printableLine } from '../output/print.js';
import { defaultPort } from '../serving/http-plan.js';
import { type CheckContext, error, type Finding, ok, warning } from './finding.js';

/** Checks that a running daemon responds and has this version. */
export async function checkDaemon({ io, config }: CheckContext): Promise<Finding> {
  try {
    await using control = await findDaemon({ config }, io);
    const info = await control?.daemonInfo({ signal: io.signal });
    if (!info) return ok('daemon', 'no daemon is running for this config');
    if (info.version === packageJson.version) return ok('daemon', `the daemon responds as process ${info.pid}`);
    const message = `the daemon has version ${info.version}, and this is ${packageJson.version}`;
    return warning('daemon', message, 'run "mcpx down" and then "mcpx up"');
  } catch (cause) {
    io.signal.throwIfAborted();
    if (!isControlError(cause)) throw cause;
    return error('daemon', cause.message, cause.hint ?? 'run "mcpx down" and then "mcpx up"');
  }
}

/** Checks that loopback ports are usable, for `serve --http` and for the redirect of a sign-in. */
export async function checkPorts(port: number = defaultPort): Promise<readonly Finding[]> {
  const free = await listenFault(0);
  if (free !== undefined) {
    const fix = 'allow programs to listen on 127.0.0.1: "mcpx login" and "mcpx serve --http" need it';
    return [error('port', `no port of 127.0.0.1 is usable (${free})`, fix)];
  }
  const fault = await listenFault(port);
  if (fault === undefined) return [ok('port', `port ${port} of 127.0.0.1 is free for "mcpx serve --http"`)];
  const message =
    fault === 'EADDRINUSE' ? `port ${port} of 127.0.0.1 is in use` : `port ${port} cannot be used (${fault})`;
  return [warning('port', message, 'if that is not your gateway, run "mcpx serve --http" with another --port')];
}

/** @returns The system's error code; `undefined` on success. */
function listenFault(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}

const maxTextLength = 500;

export async function checkFleet({ io, config }: CheckContext): Promise<readonly Finding[]> {
  try {
    await using control = await findDaemon({ config }, io);
    if (control === undefined) return await checkMembership({ io, config });
    const { fleet } = await control.status({ signal: io.signal });
    return fleet === undefined ? [] : fleetFindings(fleet);
  } catch (cause) {
    io.signal.throwIfAborted();
    if (!isControlError(cause)) throw cause;
    return []; // the check of the daemon reports it
  }
}

/** The fleet that the next daemon joins. */
async function checkMembership({ io, config }: Pick<CheckContext, 'io' | 'config'>): Promise<readonly Finding[]> {
  try {
    const file = membershipFile(io.stateDirectory, locateDaemon({ config }, io).paths.id);
    const known = await loadMembership(file);
    if (known === undefined) return [];
    return [ok('fleet', `the daemon joins the fleet "${known.fleet}" as "${known.node}" when it is started`)];
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    return [error('fleet', cause.message, cause.hint ?? 'run "mcpx fleet leave" and then "mcpx fleet join" again')];
  }
}

/** Contains untrusted text of NATS and other nodes. */
export function fleetFindings(report: FleetReport): readonly Finding[] {
  const { nodes, singletons, alarms } = report;
  const lost = nodes.filter(({ state }) => state === 'unreachable');
  const idle = singletons.filter(({ holder }) => holder === undefined);
  return [
    membershipFinding(report),
    ...alarms.map(({ at, operation, subject }) => {
      const when = new Date(at).toISOString();
      const message = `the NATS server forbade this node to ${operation} ${line(subject)}, last at ${when}`;
      const fix =
        'allow what "mcpx fleet permissions" prints; if it is allowed, check who else uses the login of this node';
      return error('fleet', message, fix);
    }),
    ...lost.map(({ node }) => {
      const fix = `start it again, or run "mcpx fleet forget ${line(node)}" if it does not come back`;
      return warning('fleet', `the node "${line(node)}" is unreachable, and so are its servers`, fix);
    }),
    ...idle.map(({ server }) => {
      const fix = 'start a node that has it; "mcpx fleet status" shows which do';
      return warning('fleet', `"${line(server)}", which the fleet runs once, runs on no node`, fix);
    }),
  ];
}

/** State of this node and of its connection to the bus. */
function membershipFinding({ fleet, node, phase, isBusConnected, error: failure, nodes }: FleetReport): Finding {
  const who = `this node, "${node}", `;
  const others = nodes.filter(({ isOwn }) => !isOwn).length;
  if (phase === 'joined' && isBusConnected) {
    return ok('fleet', `${who}is in the fleet "${fleet}", with ${counted(others, 'other node')}`);
  }
  const why = failure === undefined ? '' : `: ${line(failure.message)}`;
  const hint = fleetHint(failure?.code) ?? 'run "mcpx fleet status" to see the state';
  if (phase === 'failed') {
    return error('fleet', `${who}cannot be in the fleet "${fleet}"${why}`, `${hint} Then run "mcpx fleet join" again.`);
  }
  const message = phase === 'joined' || phase === 'cut-off' ? 'is cut off from the fleet' : 'is not yet in the fleet';
  // Failures that may resolve without the user.
  const found = failure === undefined || failure.code === 'bus-down' ? warning : error;
  return found('fleet', `${who}${message} "${fleet}"${why}`, hint);
}

function line(text: string): string {
  return printableLine(text, maxTextLength);
}

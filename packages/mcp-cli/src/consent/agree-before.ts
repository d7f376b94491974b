import type { StackOptions } from '../compose.js';
import type { DaemonControl } from '../control/control.js';
import type { ServerRow } from '../control/reports.js';
import type { Io } from '../io.js';
import { canAsk } from '../output/ask.js';
import type { TrustOptions } from './agree.js';
import { trustsEverything } from './trusts-everything.js';

/**
 * Before servers are started elsewhere, where nobody can be asked: agrees with `--trust`, or asks about those of `servers`
 * that nobody has agreed to. Reads no config when there is nothing to ask or nobody to be asked; whoever starts the servers
 * refuses then.
 *
 * @param servers - Left out: those that start by themselves.
 */
export async function agreeBefore(
  options: TrustOptions & { readonly servers?: readonly string[] | undefined },
  io: Io,
): Promise<void> {
  await agreeAhead(options, io);
  if (options.trust || trustsEverything(io.env) || !canAsk(io)) return;
  await (await import('./agree.js')).askAbout(options, io);
}

/** With `--trust`: agrees to everything that the config runs, says what that is, and starts nothing yet. */
export async function agreeAhead(options: TrustOptions, io: Io): Promise<void> {
  if (options.trust) await (await import('./agree.js')).agreeToAll(options, io);
}

/** How a person is asked whether a server may start; `undefined`: nobody is there. */
export function askingOn(io: Io): StackOptions['askConsent'] {
  if (!canAsk(io)) return undefined;
  return async (launch) => (await import('./agree.js')).ask([launch], io);
}

/**
 * The daemon has no terminal: agrees with `MCPX_TRUST=1` to the servers that wait for consent, or asks on this terminal about
 * them, before the daemon starts them. Otherwise returns `daemon` as it is.
 */
export function askingBeforeStarts(daemon: DaemonControl, options: TrustOptions, io: Io): DaemonControl {
  if (trustsEverything(io.env)) return trustingStarts(daemon, io);
  if (!canAsk(io)) return daemon;
  return beforeStarts(daemon, io, async (servers) =>
    (await import('./agree.js')).askAbout({ ...options, servers }, io),
  );
}

/** With `MCPX_TRUST=1`: agrees to what the daemon starts for this command. The daemon keeps that until it ends, and no longer. */
export function trustingStarts(daemon: DaemonControl, io: Io): DaemonControl {
  if (!trustsEverything(io.env)) return daemon;
  return beforeStarts(daemon, io, (servers) => daemon.trust({ servers, signal: io.signal }));
}

/** A control that has `decide` look at servers which wait for consent, before it starts them. */
function beforeStarts(
  daemon: DaemonControl,
  io: Io,
  decide: (servers: readonly string[]) => Promise<void>,
): DaemonControl {
  const decideOn = async (isStarted: (row: ServerRow) => boolean): Promise<void> => {
    const { servers } = await daemon.status({ signal: io.signal });
    const waiting = servers.filter((row) => row.waitsForConsent && row.state !== 'running' && isStarted(row));
    if (waiting.length > 0) await decide(waiting.map(({ name }) => name));
  };
  return {
    ...daemon,
    start: async (options = {}) => {
      await decideOn(({ name, autoStart }) => options.servers?.includes(name) ?? autoStart);
      return daemon.start(options);
    },
    restart: async (options = {}) => {
      await decideOn(({ name, state }) => options.servers?.includes(name) ?? state !== 'stopped');
      return daemon.restart(options);
    },
    discover: async (options) => {
      await decideOn(({ name, tools }) => name === options.server && !(options.remembered && tools > 0));
      return daemon.discover(options);
    },
    capabilities: async (options) => {
      await decideOn(({ name }) => name === options.server);
      return daemon.capabilities(options);
    },
  };
}

import type { LaunchToConfirm } from '@x/mcp-config-schema/consent';
import type { Io } from '../command.js';
import type { DaemonControl } from '../control/control.js';
import type { ServerRow } from '../control/reports.js';
import { canAsk } from '../output/ask.js';
import type { TrustOptions } from './prompt-consent.js';

/**
 * Obtains consent before servers start in the daemon, which cannot prompt: by `--trust`, or by a prompt on this
 * terminal. Without either the start fails later.
 *
 * @param servers - Default: those with `auto_start`.
 */
export async function obtainConsent(
  options: TrustOptions & { readonly servers?: readonly string[] | undefined },
  io: Io,
): Promise<void> {
  await applyTrustFlag(options, io);
  if (options.trust || trustsEverything(io.env) || !canAsk(io)) return;
  await (await import('./prompt-consent.js')).promptForServers(options, io);
}

/** With `--trust`: stores consent for all launches of the config and prints them. */
export async function applyTrustFlag(options: TrustOptions, io: Io): Promise<void> {
  if (options.trust) await (await import('./prompt-consent.js')).trustAll(options, io);
}

/** Prompt for one launch; `undefined` without a terminal. */
export function consentPrompt(io: Io): ((launch: LaunchToConfirm) => Promise<boolean>) | undefined {
  if (!canAsk(io)) return undefined;
  return async (launch) => (await import('./prompt-consent.js')).promptForConsent([launch], io);
}

/** Wraps a daemon: before it starts servers, `MCPX_TRUST=1` gives consent, or a prompt on this terminal asks for it. */
export function withConsentPrompts(daemon: DaemonControl, options: TrustOptions, io: Io): DaemonControl {
  if (trustsEverything(io.env)) return withTrustedStarts(daemon, io);
  if (!canAsk(io)) return daemon;
  return wrapStarts(daemon, io, async (servers) =>
    (await import('./prompt-consent.js')).promptForServers({ ...options, servers }, io),
  );
}

/** With `MCPX_TRUST=1`: gives consent to the servers that this command starts, until the daemon ends. */
export function withTrustedStarts(daemon: DaemonControl, io: Io): DaemonControl {
  if (!trustsEverything(io.env)) return daemon;
  return wrapStarts(daemon, io, (servers) => daemon.trust({ servers, signal: io.signal }));
}

/** Calls `decide` with the servers that wait for consent before the daemon starts them. */
function wrapStarts(
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

/** `MCPX_TRUST=1` gives consent to all launches without storing it, for machines without a user. */
export function trustsEverything({ MCPX_TRUST }: Readonly<Record<string, string | undefined>>): boolean {
  return MCPX_TRUST === '1';
}

import {
  type AskedConfig,
  createConsentStore,
  type LaunchToConfirm,
  launchesToConfirm,
  shownWord,
} from '@x/mcp-config-schema/consent';
import { type LoadedConfig, loadConfig, userConfigDirectory } from '@x/mcp-config-schema/load';
import { CommandError, exitCodes, type Io, UsageError } from '../command.js';
import { configSource } from '../config/config-source.js';
import { trustHint } from '../control/control-error.js';
import { askYesNo } from '../output/ask.js';
import { showLaunches } from './show-launches.js';

type AgreeIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'stdin' | 'stderr' | 'signal' | 'stdout'>;

export interface TrustOptions {
  readonly config?: readonly string[] | undefined;
  readonly trust?: boolean | undefined;
}

/** Launches of a config without consent. */
export async function waitingLaunches(
  { config: files }: Pick<TrustOptions, 'config'>,
  io: Pick<Io, 'cwd' | 'env' | 'stateDirectory'>,
): Promise<{ readonly config: LoadedConfig; readonly waiting: readonly LaunchToConfirm[] }> {
  const config = await loadConfig(configSource(files, io));
  return { config, waiting: await waitingIn(config, io) };
}

/** The same for a loaded config. */
export async function waitingIn(
  config: AskedConfig,
  io: Pick<Io, 'cwd' | 'stateDirectory'>,
): Promise<readonly LaunchToConfirm[]> {
  const store = createConsentStore(io.stateDirectory);
  const all = launchesToConfirm(config, { cwd: io.cwd, userDirectory: await userConfigDirectory() });
  return [...all.values()].filter((launch) => !store.has(launch));
}

/** @throws {CommandError} There is no state directory, or it is not writable. */
export async function storeConsent(
  launches: readonly LaunchToConfirm[],
  { stateDirectory }: Pick<Io, 'stateDirectory'>,
): Promise<void> {
  if (stateDirectory === undefined && launches.length > 0) {
    throw new UsageError('There is no directory to store your consent in.', {
      hint: 'Set HOME, or set MCPX_TRUST=1 for this command.',
    });
  }
  await createConsentStore(stateDirectory)
    .add(launches)
    .catch((cause: Error) => {
      throw new CommandError(exitCodes.failed, cause.message, { cause });
    });
}

/** Stores consent for all launches of the config and prints them. */
export async function trustAll({ config }: TrustOptions, io: AgreeIo): Promise<void> {
  const { waiting } = await waitingLaunches({ config }, io);
  if (waiting.length === 0) return;
  await storeConsent(waiting, io);
  showLaunches(waiting, 'Trusted because of --trust:', io);
}

/** Prompts once for all of `servers` without consent. */
export async function promptForServers(
  options: TrustOptions & { readonly servers?: readonly string[] | undefined },
  io: AgreeIo,
): Promise<void> {
  const { config, waiting } = await waitingLaunches(options, io);
  const { servers = config.servers.filter(({ autoStart }) => autoStart).map(({ name }) => name) } = options;
  const asked = waiting.filter(({ server }) => servers.includes(server));
  if (asked.length > 0 && (await promptForConsent(asked, io))) await storeConsent(asked, io);
}

export async function promptForConsent(launches: readonly LaunchToConfirm[], io: AgreeIo): Promise<boolean> {
  const [first] = launches;
  if (first === undefined) return true;
  const whose = launches.length === 1 ? 'a server' : `${launches.length} servers`;
  const start = launches.some(({ isRemote }) => !isRemote);
  const connect = launches.some(({ isRemote }) => isRemote);
  const does = [...(start ? ['start'] : []), ...(connect ? ['connect to'] : [])].join(' and ');
  const project = shownWord(first.directory);
  showLaunches(
    launches,
    `The project ${project} wants to ${does} ${whose}${connect ? '' : ' on this machine'}, as you:`,
    io,
  );
  const verb = start ? 'run' : 'connect to';
  return askYesNo(`Do you give consent to ${verb} ${launches.length === 1 ? 'this' : 'these'}?`, io as Io);
}

export function noTerminalError(launches: readonly LaunchToConfirm[], io: Pick<Io, 'stderr' | 'env'>): CommandError {
  showLaunches(launches, 'This would run:', io);
  return new CommandError(exitCodes.config, 'This needs your consent, but there is no terminal to prompt on.', {
    hint: trustHint,
  });
}

import { type LoadedConfig, type LoadOptions, loadConfig, userConfigDirectory } from '@x/mcp-config-schema/load';
import { trustHint } from '../control/trust-hint.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { askYesNo } from '../output/ask.js';
import { ConsentStore } from './consent-store.js';
import { type AskedConfig, type LaunchToConfirm, launchesToConfirm } from './launches.js';
import { showLaunches } from './show-launches.js';
import { shownWord } from './shown-word.js';

type AgreeIo = Pick<Io, 'cwd' | 'env' | 'stateDirectory' | 'stdin' | 'stderr' | 'signal' | 'stdout'>;

/** What a command that starts servers takes. */
export interface TrustOptions {
  readonly config?: readonly string[] | undefined;
  /** Agrees to everything that the config runs, without asking. */
  readonly trust?: boolean | undefined;
}

/** What of a config nobody has agreed to yet. */
export async function waitingLaunches(
  { config: files, variables }: Pick<TrustOptions, 'config'> & Pick<LoadOptions, 'variables'>,
  io: Pick<Io, 'cwd' | 'env' | 'stateDirectory'>,
): Promise<{ readonly config: LoadedConfig; readonly waiting: readonly LaunchToConfirm[] }> {
  const config = await loadConfig({ cwd: io.cwd, env: io.env, variables, ...(files && { files }) });
  return { config, waiting: await waitingIn(config, io) };
}

/** The same of a config that is loaded already. */
export async function waitingIn(
  config: AskedConfig,
  io: Pick<Io, 'cwd' | 'stateDirectory'>,
): Promise<readonly LaunchToConfirm[]> {
  const store = new ConsentStore(io.stateDirectory);
  const all = launchesToConfirm(config, { cwd: io.cwd, userDirectory: await userConfigDirectory() });
  return [...all.values()].filter((launch) => !store.has(launch));
}

/** Agrees to everything that the config runs, and says what that is. */
export async function agreeToAll({ config }: TrustOptions, io: AgreeIo): Promise<void> {
  const { waiting } = await waitingLaunches({ config }, io);
  if (waiting.length === 0) return;
  await new ConsentStore(io.stateDirectory).add(waiting);
  showLaunches(waiting, 'Trusted because of --trust:', io);
}

/** Asks about those of `servers` that nobody has agreed to, all at once. */
export async function askAbout(
  options: TrustOptions & { readonly servers?: readonly string[] | undefined },
  io: AgreeIo,
): Promise<void> {
  const { config, waiting } = await waitingLaunches(options, io);
  const { servers = config.servers.filter(({ autoStart }) => autoStart).map(({ name }) => name) } = options;
  const asked = waiting.filter(({ server }) => servers.includes(server));
  if (asked.length > 0 && (await ask(asked, io))) await new ConsentStore(io.stateDirectory).add(asked);
}

/** Shows what would run or be connected to, and asks whether it may. */
export async function ask(launches: readonly LaunchToConfirm[], io: AgreeIo): Promise<boolean> {
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
  return askYesNo(`Do you agree to ${verb} ${launches.length === 1 ? 'this' : 'these'}?`, io as Io);
}

/** What a command without a terminal says when it would have to ask. */
export function nobodyToAsk(launches: readonly LaunchToConfirm[], io: Pick<Io, 'stderr' | 'env'>): CommandError {
  showLaunches(launches, 'This would run:', io);
  return new CommandError(exitCodes.config, 'Nobody has agreed to this, and there is no terminal to ask on.', {
    hint: trustHint,
  });
}

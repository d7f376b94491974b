import { createConsentStore, type LaunchToConfirm, launchesToConfirm } from '@x/mcp-config-schema/consent';
import { type LoadedConfig, loadConfig, userConfigDirectory } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import { configSource } from '../config/config-source.js';

interface EditedText {
  /** Absolute path of the config file. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Launches that an edit by the user gives consent to: those of the file that are new in it or that it changes, except
 * where the old entry had no consent. Reads both texts as they are given, so that an edit of another program has no part in
 * it. Stores nothing.
 *
 * @returns Nothing if one of the texts has errors.
 */
export async function consentByEdit(
  { path, before, after }: EditedText,
  { config }: { readonly config?: readonly string[] | undefined },
  io: Pick<Io, 'cwd' | 'env' | 'stateDirectory'>,
): Promise<readonly LaunchToConfirm[]> {
  if (io.stateDirectory === undefined) return [];
  const store = createConsentStore(io.stateDirectory);
  const userDirectory = await userConfigDirectory();
  const source = configSource(config, io);
  const waiting = async (text: string): Promise<readonly LaunchToConfirm[]> => {
    const loaded: LoadedConfig = await loadConfig({ ...source, unsaved: { [path]: text } });
    const all = launchesToConfirm(loaded, { cwd: io.cwd, userDirectory });
    return [...all.values()].filter((launch) => launch.file === path && !store.has(launch));
  };
  try {
    const held = new Set((await waiting(before)).map(({ server }) => server));
    return (await waiting(after)).filter(({ server }) => !held.has(server));
  } catch {
    return []; // the first start shows the entries and asks
  }
}

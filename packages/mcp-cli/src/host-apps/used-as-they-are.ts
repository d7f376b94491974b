import type { Io } from '../command.js';
import { hasConfig, homeDirectory, hostProject } from '../config/find-project.js';
import { hostTextReader, namesIn } from './host-texts.js';

/** Names of the host apps' servers that commands use here because there is no config. Empty with one. */
export async function usedAsTheyAre(io: Pick<Io, 'cwd' | 'env'>): Promise<readonly string[]> {
  if (hasConfig(io)) return [];
  const { texts } = await hostTextReader([], { ...io, project: hostProject(io.cwd, homeDirectory()) })();
  return texts.flatMap(({ text }) => namesIn(text));
}

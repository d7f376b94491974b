import type { ServerHandlers } from '../control/control.js';
import type { ConfigFilesSources } from './config-files.js';

/** Requests about the files of the config. */
export type ConfigHandlers = Pick<ServerHandlers, 'configFiles'>;

/** Loads the code with the first request. */
export function configHandlers(sources: ConfigFilesSources): ConfigHandlers {
  return {
    configFiles: async () => (await import('./config-files.js')).configFilesView(sources),
  };
}

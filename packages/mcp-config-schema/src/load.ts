// Public API of "@x/mcp-config-schema/load".
export type { FilesCheck } from './load/check-read-files.js';
export type { GivenText, GivenTexts, TextSource } from './load/given-texts.js';
export type { LoadedConfig } from './load/load-config.js';
export { checkFiles, loadConfig } from './load/load-config.js';
export type { LoadConfigOptions, LoadOptions } from './load/load-options.js';
export { userConfigDirectory, userStateDirectory } from './load/load-options.js';
export { type FileOrigin, isPlanted } from './load/planted.js';
export type { ConfigChange, ConfigWatch, WatchOptions } from './load/watch-config.js';
export { watchConfig } from './load/watch-config.js';

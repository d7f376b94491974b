// Everything that can be imported from "@x/mcp-config-schema/load". A new line here is new public API.
export type { FilesCheck, LoadOptions } from './load/load-config.js';
export { checkFiles, loadConfig } from './load/load-config.js';

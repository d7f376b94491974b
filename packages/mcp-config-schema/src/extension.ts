// Public API of "@x/mcp-config-schema/extension".
export type { ExtensionCheck, ExtensionServer, ResolvedExtension } from './extension/check-extension.js';
export { checkExtension, resolveExtension } from './extension/check-extension.js';
export type { ExtensionOptions } from './extension/extension-options.js';
export type { Launchable, LaunchFacts, ResolvedLaunch } from './extension/resolve-launch.js';
export { pathsToFind, resolveLaunch } from './extension/resolve-launch.js';

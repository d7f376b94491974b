import { loadDescriptors, moduleLoader } from '../../process/descriptors.js';

/**
 * Loaded while the first server process boots. Hosts that only read config or the cache never load it. The HTTP part
 * brings the protocol SDK, by far the largest part of this package.
 */
export const sessionCode = {
  stdio: moduleLoader(loadDescriptors.ours, () => import('../../session/open-stdio-session.js')),
  http: moduleLoader(loadDescriptors.sdk, () => import('../../session/open-http-session.js')),
  inProcess: moduleLoader(loadDescriptors.ours, () => import('../../session/open-in-process-session.js')),
};

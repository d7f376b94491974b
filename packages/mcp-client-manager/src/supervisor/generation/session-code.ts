import { loadDescriptors, moduleLoader } from '../../process/module-loader.js';

/**
 * The code that opens sessions, loaded when the first server starts, while that server's process boots; a host that only
 * looks at its config, or at what was remembered, never loads it. The one for HTTP brings the protocol SDK, which is by far
 * the largest part of this package.
 */
export const sessionCode = {
  stdio: moduleLoader(loadDescriptors.ours, () => import('../../session/open-stdio-session.js')),
  http: moduleLoader(loadDescriptors.sdk, () => import('../../session/open-http-session.js')),
  inProcess: moduleLoader(loadDescriptors.ours, () => import('../../session/open-in-process-session.js')),
};

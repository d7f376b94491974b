/**
 * The code that opens sessions, and with it the protocol SDK: by far the largest part of what a host would load with this
 * package. It is loaded when the first server starts, while that server's process boots; a host that only looks at its
 * config, or at what was remembered, never loads it.
 */
export const sessionCode = {
  stdio: () => import('../session/open-stdio-session.js'),
  http: () => import('../session/open-http-session.js'),
  inProcess: () => import('../session/open-in-process-session.js'),
};

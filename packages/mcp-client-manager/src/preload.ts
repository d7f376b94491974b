import { outputCheckCode } from './session/output-check-code.js';
import { sessionCode } from './supervisor/generation/session-code.js';

/**
 * Loads now what is otherwise loaded when it is first needed: the protocol SDK, and the code that signs in and writes
 * files. For a program whose files may be replaced under it while it runs, such as a daemon that outlives an update.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    ...Object.values(sessionCode).map((load) => load()),
    outputCheckCode(),
    import('./auth/authorize.js'),
    import('write-file-atomic'),
  ]);
}

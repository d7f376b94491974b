import { outputCheckCode } from './session/tools/output-check-code.js';
import { sessionCode } from './supervisor/generation/session-code.js';

/**
 * Loads all code that is otherwise loaded on first use: the protocol SDK, sign-in. For programs whose
 * files may be replaced while they run.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    ...Object.values(sessionCode).map((load) => load()),
    outputCheckCode(),
    import('./auth/authorize.js'),
    import('./auth/client-credentials-flow.js'),
  ]);
}

import { type ExitCode, exitCodes } from '../exit-codes.js';

/** What to do about a failure that says nothing of that itself. */
export const nextSteps: Partial<Record<ExitCode, string>> = {
  [exitCodes.startFailed]: 'Run "mcpx discover <server> --refresh --verbose" to see everything that the server writes.',
  [exitCodes.notFound]: 'Run "mcpx status" to see the servers, and "mcpx search" to find tools.',
};

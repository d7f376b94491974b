import { type ExitCode, exitCodes } from '../exit-codes.js';

/** What to do about a failure that says nothing of that itself. */
export const nextSteps: Partial<Record<ExitCode, string>> = {
  [exitCodes.startFailed]: 'Run "mcpx doctor" to look for what is missing.',
  [exitCodes.notFound]: 'Run "mcpx status" to see the servers, and "mcpx search" to find tools.',
};

import { type ExitCode, exitCodes } from '../exit-codes.js';

/** Hints for failures without a hint of their own, by exit code. */
export const nextSteps: Partial<Record<ExitCode, string>> = {
  [exitCodes.startFailed]: 'Run "mcpx doctor" to find the cause.',
  [exitCodes.notFound]: 'Run "mcpx status" to see the servers, and "mcpx search" to find tools.',
};

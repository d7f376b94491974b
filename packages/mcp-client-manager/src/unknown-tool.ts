import { ManagerError } from './errors.js';

/** What its spec keeps back does not exist for whoever calls, whether the server has it or not. */
export function unknownTool(server: string, tool: string): ManagerError {
  return new ManagerError('unknown-tool', `Server "${server}" offers no tool named "${tool}"`, { server });
}

// All exports of "@x/mcp-client-manager/diagnose". A new line here is new public API.

export { memoryByGroup } from '@x/internal/processes';
export type { CommandCheck, CommandToCheck } from './process/command/check-command.js';
export { checkCommand } from './process/command/check-command.js';
export type { OrphanedProcess } from './process/orphans/reap.js';
export { findOrphanedProcesses } from './process/orphans/reap.js';
export { logFileName } from './process/stderr/stderr-log.js';
export { connectionStatusOf } from './supervisor/state/condition.js';

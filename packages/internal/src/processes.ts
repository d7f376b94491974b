export type { PackageUser } from './processes/npm-packages.js';
export { isPackageHere, npxPackage } from './processes/npm-packages.js';
export { ProcessGroup } from './processes/process-group.js';
export type { ProcessEntry } from './processes/process-table.js';
export {
  findEscaped,
  hasEnvironmentEntry,
  isRunning,
  memoryByGroup,
  processEntry,
  processTableId,
  runningProcesses,
} from './processes/process-table.js';
export type { WindowsLaunch, WindowsSystem } from './processes/windows-launch.js';
export { windowsLaunch, windowsVariables } from './processes/windows-launch.js';

// Public API of "@x/mcp-cli".

export type { ExitCode, Io, OutputStream } from './command.js';
export { exitCodes } from './command.js';
export { run } from './run.js';

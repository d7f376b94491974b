// Public API of "@x/mcp-cli".

export type { ExitCode } from './exit-codes.js';
export { exitCodes } from './exit-codes.js';
export type { Io, OutputStream } from './io.js';
export { run } from './run.js';

// Everything that can be imported from "@x/mcp-cli". A new line here is new public API.

export type { ExitCode } from './exit-codes.js';
export { exitCodes } from './exit-codes.js';
export type { Io, OutputStream } from './io.js';
export { run } from './run.js';

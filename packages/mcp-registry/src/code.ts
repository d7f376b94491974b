// Everything that can be imported from "@x/mcp-registry/code". A new line here is new public API.
export type { CodeTool, CodeToolView } from '@x/internal/views';
export type { CodeOptions } from './code/code-options.js';
export type { CodeRunner } from './code/code-runner.js';
export { openCodeRunner } from './code/code-runner.js';

// Everything that can be imported from "@x/mcp-registry/typescript". A new line here is new public API.
export type { DeclaredTool, ListedTools, TypeScriptOptions } from './typescript/to-typescript.js';
export { toTypeScript } from './typescript/to-typescript.js';

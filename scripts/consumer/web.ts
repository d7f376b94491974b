// A browser or Worker project: no types of Node, and no library of TypeScript newer than ES2022. Types alone.

import { parseConfig } from '@x/mcp-config-schema';
import { createFleet } from '@x/mcp-fleet';
import { createRegistry, type ToolSource } from '@x/mcp-registry';
import { anthropic } from '@x/mcp-registry/formats';

const source: ToolSource = {
  name: 'files',
  listTools: () => [{ name: 'read', inputSchema: { type: 'object' } }],
  callTool: async () => ({ content: [] }),
};
const registry = createRegistry();
export const tools = anthropic(registry).tools;
export const others = [createFleet, parseConfig];

// @ts-expect-error What can be disposed has a type, although this project knows no `Disposable`.
export const attachment: number = registry.attach(source);
// @ts-expect-error
export const registration: number = registry.register({ name: 'add', description: 'Adds' }, () => 0);
// @ts-expect-error
export const subscription: number = registry.events.on('tools-changed', ({ added }) => added.length);
// @ts-expect-error
export const all: number = registry;

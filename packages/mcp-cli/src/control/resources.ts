import type { ManagedListing } from '@x/mcp-client-manager';
import { type Stack, serverNamed } from '../compose.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';
import { hiddenEntry } from './hidden-entry.js';

export function resourceControl(stack: Stack, base: ControlBase) {
  const hidden = <Entry extends object>(listing: ManagedListing<Entry>): ManagedListing<Entry> => ({
    ...listing,
    items: listing.items.map((entry) => hiddenEntry(entry, base)),
  });
  return {
    listResources: async ({ server, ...options }) => hidden(await serverNamed(stack, server).listResources(options)),
    listResourceTemplates: async ({ server, ...options }) =>
      hidden(await serverNamed(stack, server).listResourceTemplates(options)),
    readResource: async ({ server, uri, signal }) => serverNamed(stack, server).readResource(uri, { signal }),
    listPrompts: async ({ server, ...options }) => hidden(await serverNamed(stack, server).listPrompts(options)),
    getPrompt: async ({ server, prompt, args, signal }) =>
      serverNamed(stack, server).getPrompt(prompt, args, { signal }),
  } satisfies Partial<ServerHandlers>;
}

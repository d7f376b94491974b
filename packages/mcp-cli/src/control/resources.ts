import type {
  GetPromptResult,
  ManagedListing,
  ReadResourceResult,
  ServerPrompt,
  ServerResource,
  ServerResourceTemplate,
} from '@x/mcp-client-manager';
import { type Stack, serverNamed } from '../compose.js';
import type { ControlBase } from './control-base.js';
import { hiddenEntry } from './hidden-entry.js';
import type { WaitOptions } from './wait-options.js';

/** Resources and prompts of one server. Each starts it if its config allows that. */
export interface ResourceControl {
  listResources(server: string, options?: ListingOptions): Promise<ManagedListing<ServerResource>>;
  listResourceTemplates(server: string, options?: ListingOptions): Promise<ManagedListing<ServerResourceTemplate>>;
  readResource(server: string, uri: string, options?: WaitOptions): Promise<ReadResourceResult>;
  listPrompts(server: string, options?: ListingOptions): Promise<ManagedListing<ServerPrompt>>;
  getPrompt(
    server: string,
    prompt: string,
    args?: Readonly<Record<string, string>>,
    options?: WaitOptions,
  ): Promise<GetPromptResult>;
}

export interface ListingOptions extends WaitOptions {
  /**
   * For a server that does not run: `true` (default) starts it, if its config allows that; `false` answers with what it
   * listed last, and with `completeness: 'unavailable'` when nothing is known of that.
   */
  readonly wake?: boolean | undefined;
}

export function resourceControl(stack: Stack, base: ControlBase): ResourceControl {
  const { run } = base;
  const hidden = <Entry extends object>(listing: ManagedListing<Entry>): ManagedListing<Entry> => ({
    ...listing,
    items: listing.items.map((entry) => hiddenEntry(entry, base)),
  });
  return {
    listResources: (server, { signal, wake } = {}) =>
      run(signal, async () => hidden(await serverNamed(stack, server).listResources({ signal, wake }))),
    listResourceTemplates: (server, { signal, wake } = {}) =>
      run(signal, async () => hidden(await serverNamed(stack, server).listResourceTemplates({ signal, wake }))),
    readResource: (server, uri, { signal } = {}) =>
      run(signal, async () => serverNamed(stack, server).readResource(uri, { signal })),
    listPrompts: (server, { signal, wake } = {}) =>
      run(signal, async () => hidden(await serverNamed(stack, server).listPrompts({ signal, wake }))),
    getPrompt: (server, prompt, args, { signal } = {}) =>
      run(signal, async () => serverNamed(stack, server).getPrompt(prompt, args, { signal })),
  };
}

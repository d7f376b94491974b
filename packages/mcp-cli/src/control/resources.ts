import type {
  GetPromptResult,
  ManagedListing,
  ReadResourceResult,
  ServerPrompt,
  ServerResource,
} from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import type { ControlBase } from './control-base.js';

/** Resources and prompts of one server. Each starts it if its config allows that. */
export interface ResourceControl {
  listResources(server: string, options?: RequestOptions): Promise<ManagedListing<ServerResource>>;
  readResource(server: string, uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  listPrompts(server: string, options?: RequestOptions): Promise<ManagedListing<ServerPrompt>>;
  getPrompt(
    server: string,
    prompt: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<GetPromptResult>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export function resourceControl({ manager }: Stack, { run }: ControlBase): ResourceControl {
  return {
    listResources: (server, { signal } = {}) =>
      run(signal, async () => manager.server(server).listResources({ signal })),
    readResource: (server, uri, { signal } = {}) =>
      run(signal, async () => manager.server(server).readResource(uri, { signal })),
    listPrompts: (server, { signal } = {}) => run(signal, async () => manager.server(server).listPrompts({ signal })),
    getPrompt: (server, prompt, args, { signal } = {}) =>
      run(signal, async () => manager.server(server).getPrompt(prompt, args, { signal })),
  };
}

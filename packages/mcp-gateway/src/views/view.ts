import type { CallToolOptions, Disposable, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';

/** What is served of a view. A `RegistryView` of `@x/mcp-registry` is one as it stands. */
export interface RegistryView {
  /** All tools in the order of their public names. */
  list(): readonly ToolView[];
  /** The tool with this public name. */
  get(name: string): ToolView | undefined;
  /** Runs a tool. Throws an error with the brand of `RegistryError` and the code `unknown-tool` where there is none. */
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
  /** Sends `tools-changed` when `list()` answers differently, `access-changed` when other rules hold. */
  readonly events: ViewEvents;
}

/** The changes of a view. */
export interface ViewEvents {
  /** Calls `listener` after each event of that name, until the returned object is disposed. */
  on(name: 'tools-changed' | 'access-changed', listener: () => void): Disposable;
}

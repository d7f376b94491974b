import type { CallToolOptions, Disposable, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';

/** The part of a view that is served. A `RegistryView` of `@x/mcp-registry` is assignable. */
export interface RegistryView {
  /** All tools in the order of their public names. */
  list(): readonly ToolView[];
  get(name: string): ToolView | undefined;
  /** Calls a tool. Throws an error with the brand of `RegistryError` and the code `unknown-tool` if there is none. */
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
  /** `tools-changed`: `list()` has changed. `access-changed`: the rules have changed. */
  readonly events: ViewEvents;
}

/** The events of a view. */
export interface ViewEvents {
  /** Calls `listener` after each event of that name, until the returned object is disposed. */
  on(name: 'tools-changed' | 'access-changed', listener: () => void): Disposable;
}

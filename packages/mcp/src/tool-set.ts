import { ViewDecorator } from '@x/internal/views';
import type {
  CallToolOptions,
  ChangesOptions,
  InstructionsOptions,
  RegistryView,
  SearchOptions,
  SearchRequest,
  SearchResult,
  ToolArguments,
  ToolDescription,
  ToolsChange,
} from '@x/mcp-registry';
import { type ToolResult, toToolResult } from './tool-result.js';

/** Tools that one role may use, or all. Fits wherever a `RegistryView` does, such as in the formats of model APIs. */
export interface ToolSet extends RegistryView {
  /**
   * Finds tools by words, by name or by regular expression; `*` lists them.
   *
   * @throws As `RegistryView.search`.
   */
  search(query: string | SearchRequest, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Calls a tool by its public name. A failure of the tool itself is a result with `isError`.
   *
   * @throws As `RegistryView.call`.
   */
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolResult>;
}

export class ViewedTools extends ViewDecorator<RegistryView> implements ToolSet {
  get revision(): number {
    return this.inner.revision;
  }

  describe(name: string): Promise<ToolDescription | undefined> {
    return this.inner.describe(name);
  }

  instructions(options?: InstructionsOptions): Promise<string> {
    return this.inner.instructions(options);
  }

  search(query: string | SearchRequest, options?: SearchOptions): Promise<SearchResult> {
    return this.inner.search(typeof query === 'string' ? { query } : query, options);
  }

  override async call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolResult> {
    return toToolResult(await this.inner.call(name, args, options));
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    return this.inner.changes(options);
  }
}

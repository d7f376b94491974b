import type { CallToolOptions, EventSource, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { PEEK, type Peekable, peekTools, type ToolView } from '@x/internal/views';
import type { ChangesOptions } from '../changes.js';
import { describeTool, type ToolDescription } from '../describe-tool.js';
import type { RegistryEvents, ToolsChange } from '../events.js';
import type { SearchOptions, SearchRequest, SearchResult } from '../search/search-request.js';
import type { RegistryView } from './view.js';

/** Passes everything to the view `inner`. A subclass overrides what differs; `describe` follows its `get`. */
export class ViewDecorator implements RegistryView, Peekable {
  protected readonly inner: RegistryView;

  constructor(inner: RegistryView) {
    this.inner = inner;
  }

  get revision(): number {
    return this.inner.revision;
  }

  get events(): EventSource<RegistryEvents> {
    return this.inner.events;
  }

  list(): readonly ToolView[] {
    return this.inner.list();
  }

  [PEEK](): readonly ToolView[] {
    return peekTools(this.inner);
  }

  get(name: string): ToolView | undefined {
    return this.inner.get(name);
  }

  describe(name: string): ToolDescription | undefined {
    const tool = this.get(name);
    return tool && describeTool(tool);
  }

  search(request: SearchRequest, options?: SearchOptions): Promise<SearchResult> {
    return this.inner.search(request, options);
  }

  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult> {
    return this.inner.call(name, args, options);
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    return this.inner.changes(options);
  }
}

import { ViewDecorator as AnyViewDecorator } from '@x/internal/views';
import { describeTool } from '../arguments/argument-code.js';
import type { ChangesOptions } from '../changes.js';
import type { ToolsChange } from '../events.js';
import type { SearchOptions, SearchRequest, SearchResult } from '../search/search-request.js';
import type { ToolDescription } from '../tool-description.js';
import type { RegistryView } from './view.js';

/** Forwards everything to the view `inner`. `describe` uses the subclass's `get`. */
export class ViewDecorator extends AnyViewDecorator<RegistryView> implements RegistryView {
  get revision(): number {
    return this.inner.revision;
  }

  async describe(name: string): Promise<ToolDescription | undefined> {
    const tool = this.get(name);
    return tool && describeTool(tool);
  }

  search(request: SearchRequest, options?: SearchOptions): Promise<SearchResult> {
    return this.inner.search(request, options);
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    return this.inner.changes(options);
  }
}

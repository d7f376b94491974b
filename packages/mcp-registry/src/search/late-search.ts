import { LateModule } from '../late-module.js';
import type { LiveSearch, SearchedTools } from './live-search.js';
import type { SearchOptions, SearchRequest, SearchResult } from './search-request.js';

export const searchCode = new LateModule(() => import('./live-search.js'));

/** Loads the code with the first search. */
export class LateSearch {
  readonly #tools: SearchedTools;
  #search: LiveSearch | undefined;

  constructor(tools: SearchedTools) {
    this.#tools = tools;
  }

  async search(request: SearchRequest, options: SearchOptions = {}): Promise<SearchResult> {
    const { lifetime } = this.#tools;
    const { LiveSearch } = searchCode.loaded ?? (await searchCode.loadUnless({ lifetime, signal: options.signal }));
    this.#search ??= new LiveSearch(this.#tools);
    return this.#search.search(request, options);
  }
}

import { signalOptions } from '@x/internal/options';
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

  async search(request: SearchRequest, given?: SearchOptions): Promise<SearchResult> {
    const options = signalOptions.read(given);
    const { lifetime } = this.#tools;
    const { LiveSearch } = searchCode.loaded ?? (await searchCode.loadUnless({ lifetime, ...options }));
    this.#search ??= new LiveSearch(this.#tools);
    return this.#search.search(request, options);
  }
}

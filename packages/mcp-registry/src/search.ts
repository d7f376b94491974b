// Everything that can be imported from "@x/mcp-registry/search". A new line here is new public API.
export type { SearchDocument } from './search/index/search-document.js';
export type { Ranker, RankerFailure, RankOptions } from './search/rank/ranker.js';
export type { SearchDetail, SearchMatch, SearchMode, SearchNeed, SearchScope } from './search/search-request.js';

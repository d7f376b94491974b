/** Many clients read the first page alone, so a page holds what any of them may be expected to have. */
const DEFAULT_PAGE_SIZE = 1_000;

/** How lists are divided into pages. */
export interface PageOptions {
  /**
   * Most tools in one answer to `tools/list`. Default 1000: there are clients that read only the first page. An answer
   * that would grow past some 4 MB ends sooner.
   */
  readonly pageSize?: number | undefined;
}

export function resolvePageSize({ pageSize = DEFAULT_PAGE_SIZE }: PageOptions): number {
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw new TypeError(`pageSize must be a whole number of at least 1, got ${pageSize}`);
  }
  return pageSize;
}

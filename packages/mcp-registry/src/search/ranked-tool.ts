/** A hit of the search by words, with its reasons. */
export interface RankedTool {
  /** Public name. */
  readonly name: string;
  /** More than 0. Comparable within one answer only. */
  readonly score: number;
  /** Share of the query's meaning that this tool has, 0 to 1. Comparable across answers. */
  readonly coverage: number;
  /** The matched words of the query, by field. */
  readonly matched: readonly { readonly field: string; readonly terms: readonly string[] }[];
  /** True if a word of the query that names its subject, not only an action, stands in the tool's own name. */
  readonly isNamed: boolean;
}

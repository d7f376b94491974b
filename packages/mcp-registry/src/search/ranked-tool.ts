/** A hit of the search by words, and why it is one. */
export interface RankedTool {
  /** Public name. */
  readonly name: string;
  /** More than 0. Compares within one answer only. */
  readonly score: number;
  /** How much of what the query means this tool has, 0 to 1. Compares across answers. */
  readonly coverage: number;
  /** The words of the query that were found, by the field they were found in. */
  readonly matched: readonly { readonly field: string; readonly terms: readonly string[] }[];
  /** A word of the query that says what it is about, not only what to do, stands in the tool's own name. */
  readonly isNamed: boolean;
}

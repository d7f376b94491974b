/** A part of a text, by its offsets. */
export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Kinds of findings in the texts of a tool. */
export type ToolFindingCode =
  /** Escape sequences or control characters. */
  | 'control-characters'
  /** Characters that reorder the shown text. */
  | 'bidi-characters'
  /** Zero-width characters, tags, fillers, runs of variation selectors. */
  | 'invisible-characters'
  /** White space that pushes text out of sight. */
  | 'pushed-out-of-sight'
  /** HTML or Markdown that disappears when rendered. */
  | 'hidden-markup'
  /** Text that addresses the model; see `rule`. */
  | 'model-instruction'
  /** Mentions a tool of another server. */
  | 'names-other-tool'
  /** The name looks like another server's tool, or has letters of other scripts. */
  | 'look-alike-name'
  /** A word with look-alike letters of several scripts. */
  | 'mixed-scripts'
  /** A long encoded text. */
  | 'encoded-text'
  /** A web address with a placeholder for data. */
  | 'data-in-address'
  /** Calls are not checked against a part of the input schema. */
  | 'unchecked-arguments'
  /** Too long to be scanned whole. */
  | 'not-scanned-whole';

/** `high`: almost never accidental. `medium`: needs a review. `low`: common in honest tools too. */
export type FindingSeverity = 'high' | 'medium' | 'low';

/** A suspicious text of a tool, for review. Blocks nothing. */
export interface ToolFinding {
  readonly code: ToolFindingCode;
  readonly severity: FindingSeverity;
  readonly server: string;
  /** The tool's own name. Empty for the server's instructions. */
  readonly tool: string;
  /** Path of the text, such as `inputSchema.properties.path.description`, or `instructions`. */
  readonly field: string;
  /** Safe to print. */
  readonly message: string;
  /** Start of the finding, in UTF-16 code units. */
  readonly at?: number | undefined;
  /** The text around it, with hidden characters as escapes. */
  readonly excerpt?: string | undefined;
  /** Rule of a `model-instruction`. */
  readonly rule?: string | undefined;
  /** The other tool of `names-other-tool` and `look-alike-name`. */
  readonly other?: { readonly server: string | undefined; readonly tool: string } | undefined;
}

/** A finding before its tool is added; `what` becomes its message. */
export type FindingDraft = Omit<ToolFinding, 'server' | 'tool' | 'message'> & { readonly what: string };

export const GRAVITY: Readonly<Record<FindingSeverity, number>> = { low: 0, medium: 1, high: 2 };

/** Kinds of findings in the text of a tool. Part of the public API. */
export type ToolFindingCode =
  /** Escape sequences or control characters, which a terminal obeys and readers do not see. */
  | 'control-characters'
  /** Characters that change the order in which text is shown. */
  | 'bidi-characters'
  /** Characters without a shape: zero-width ones, tags, fillers, runs of variation selectors. */
  | 'invisible-characters'
  /** White space that pushes the following text out of sight. */
  | 'pushed-out-of-sight'
  /** HTML or Markdown that is hidden where it is rendered. */
  | 'hidden-markup'
  /** Addresses the model rather than describing the tool; `rule` says how. */
  | 'model-instruction'
  /** Names a tool of another server. */
  | 'names-other-tool'
  /** The name looks like that of another server's tool, or contains letters of other scripts. */
  | 'look-alike-name'
  /** A word of a text has letters of several scripts that look alike. */
  | 'mixed-scripts'
  /** A long encoded text, which a model can read and people cannot. */
  | 'encoded-text'
  /** A web address with a place for data in it. */
  | 'data-in-address'
  /** A part of the input schema that calls are not checked against. */
  | 'unchecked-arguments'
  /** Too long to be scanned whole. */
  | 'not-scanned-whole';

/** `high`: almost never accidental. `medium`: deserves a look. `low`: a hint, common in honest tools too. */
export type FindingSeverity = 'high' | 'medium' | 'low';

/** A text of a tool that a person should review. It blocks nothing, and its absence proves nothing. */
export interface ToolFinding {
  readonly code: ToolFindingCode;
  readonly severity: FindingSeverity;
  readonly server: string;
  /** The tool's own name. Empty for the instructions of the server. */
  readonly tool: string;
  /** Path of the text in the definition, such as `inputSchema.properties.path.description`, or `instructions`. */
  readonly field: string;
  /** For people. Safe to print. */
  readonly message: string;
  /** Start of the finding in that text, in UTF-16 code units. */
  readonly at?: number | undefined;
  /** The place, with hidden characters as escapes such as `\u200b`. */
  readonly excerpt?: string | undefined;
  /** With `model-instruction`: the rule. */
  readonly rule?: string | undefined;
  /** With `names-other-tool` and `look-alike-name`: the other tool, if there is one. */
  readonly other?: { readonly server: string | undefined; readonly tool: string } | undefined;
}

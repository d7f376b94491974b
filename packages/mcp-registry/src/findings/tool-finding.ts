/** What the text of a tool can be suspected of. Part of the public API. */
export type ToolFindingCode =
  /** Escape sequences or control characters, which a terminal obeys and nobody reads. */
  | 'control-characters'
  /** Characters that change the order in which text is shown. */
  | 'bidi-characters'
  /** Characters without a shape: zero-width ones, tags, fillers, runs of variation selectors. */
  | 'invisible-characters'
  /** So much white space that what follows is out of sight. */
  | 'pushed-out-of-sight'
  /** HTML or Markdown that is not shown where it is rendered. */
  | 'hidden-markup'
  /** Speaks to the model rather than about the tool; `rule` says how. */
  | 'model-instruction'
  /** Names a tool of another server. */
  | 'names-other-tool'
  /** The name reads like that of a tool of another server, or like other letters than it has. */
  | 'look-alike-name'
  /** A word of a text has letters of several scripts that look alike. */
  | 'mixed-scripts'
  /** A long encoded text, which a model can read and people cannot. */
  | 'encoded-text'
  /** A web address with a place for data in it. */
  | 'data-in-address'
  /** A part of the input schema that calls are not checked for. */
  | 'unchecked-arguments'
  /** Too long to be looked at whole. */
  | 'not-scanned-whole';

/** `high`: hardly ever by accident. `medium`: look at it. `low`: a hint, common in honest tools too. */
export type FindingSeverity = 'high' | 'medium' | 'low';

/** Something in the text of a tool that a person should look at. It blocks nothing, and its absence proves nothing. */
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
  /** Where it begins in that text, in UTF-16 code units. */
  readonly at?: number | undefined;
  /** The place, with everything that does not show written as `\u200b`. */
  readonly excerpt?: string | undefined;
  /** With `model-instruction`: which rule. */
  readonly rule?: string | undefined;
  /** With `names-other-tool` and `look-alike-name`: which tool is meant, where one is. */
  readonly other?: { readonly server: string | undefined; readonly tool: string } | undefined;
}

/**
 * A difference between the server's definition and the one that the model gets, because its API supports no other
 * form.
 */
export interface FormatNote {
  /** Public name of the tool. */
  readonly tool: string;
  readonly code: FormatNoteCode;
  /** For people. */
  readonly message: string;
}

/** The kind of difference. */
export type FormatNoteCode =
  /** The tool is left out: its name, or that of a required argument, is not allowed. */
  | 'left-out'
  /** The description exceeded the limit of the API, or the requested one. */
  | 'description-cut'
  /**
   * A part of the schema accepts any value: a circular or dangling reference, or a schema that is too deep or too
   * large.
   */
  | 'schema-opened'
  /** Alternatives of the whole arguments became one object with all their properties. */
  | 'alternatives-merged'
  /** A keyword that the API does not support was removed. Calls are still checked against it. */
  | 'keyword-removed'
  /** The tool is not strict although that was requested, because a strict schema cannot express its arguments. */
  | 'not-strict';

/** Listener for differences. */
export interface NoteOptions {
  /** Receives differences between the server's definition and the model's. Default: none. */
  readonly onNote?: ((note: FormatNote) => void) | undefined;
}

/** Reports about one tool. The same is not reported twice. */
export type Report = (code: FormatNoteCode, message: string) => void;

export function reportAbout(tool: string, { onNote }: NoteOptions): Report {
  const said = new Set<string>();
  return (code, message) => {
    if (said.has(code + message)) return;
    said.add(code + message);
    onNote?.({ tool, code, message });
  };
}

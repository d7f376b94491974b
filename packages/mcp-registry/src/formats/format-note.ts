/** A difference between the server's definition of a tool and the one that the model receives. */
export interface FormatNote {
  /** Public name. */
  readonly tool: string;
  readonly code: FormatNoteCode;
  readonly message: string;
}

/** Kinds of differences. */
export type FormatNoteCode =
  /** The tool is omitted: the API does not allow its name or the name of a required argument. */
  | 'left-out'
  /** The description exceeded its limit. */
  | 'description-cut'
  /** A part of the schema accepts any value: a circular or dangling reference, or one that is too deep or large. */
  | 'schema-opened'
  /** Alternatives at the root became one object with all properties. */
  | 'alternatives-merged'
  /** An unsupported keyword was removed. Calls are still checked against it. */
  | 'keyword-removed'
  /** A strict schema cannot express the arguments. */
  | 'not-strict';

/** Options for differences. */
export interface NoteOptions {
  /** Receives each difference. Default: none. */
  readonly onNote?: ((note: FormatNote) => void) | undefined;
}

export type Report = (code: FormatNoteCode, message: string) => void;

export function reportAbout(tool: string, { onNote }: NoteOptions): Report {
  const reported = new Set<string>();
  return (code, message) => {
    if (reported.has(code + message)) return;
    reported.add(code + message);
    onNote?.({ tool, code, message });
  };
}

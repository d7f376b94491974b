/** Something that a model is told differently than the server said it, because its API takes it in no other way. */
export interface FormatNote {
  /** Public name of the tool. */
  readonly tool: string;
  readonly code: FormatNoteCode;
  /** For people. */
  readonly message: string;
}

/** What became different. */
export type FormatNoteCode =
  /** The tool is not among the result at all: its name, or that of an argument it cannot do without, is not allowed. */
  | 'left-out'
  /** The description was longer than the API takes, or than was asked for. */
  | 'description-cut'
  /** A part of the schema is left open: a reference that leads nowhere or in circles, or too deep or too large a schema. */
  | 'schema-opened'
  /** Alternatives of the whole arguments became one object with the properties of all of them. */
  | 'alternatives-merged'
  /** A keyword that the API does not take is gone. Calls are still held against it. */
  | 'keyword-removed'
  /** The tool is not strict, though that was asked for, because its arguments cannot be said in that way. */
  | 'not-strict';

/** Whom to tell what a model is told differently. */
export interface NoteOptions {
  /** Told of what a model is told differently. Default: nobody is. */
  readonly onNote?: ((note: FormatNote) => void) | undefined;
}

/** Reports about one tool. The same is not said twice. */
export type Report = (code: FormatNoteCode, message: string) => void;

export function reportAbout(tool: string, { onNote }: NoteOptions): Report {
  const said = new Set<string>();
  return (code, message) => {
    if (said.has(code + message)) return;
    said.add(code + message);
    onNote?.({ tool, code, message });
  };
}

/** Something that a source offers and the registry does not, or cannot learn. Data, because the rest goes on. */
export type RegistryDiagnostic =
  /** A source names one tool twice; the first is kept. */
  | (DiagnosticBase & { readonly code: 'duplicate-tool'; readonly tool: string })
  /** An entry of a source's list is no tool; `tool` is its name if it has one. */
  | (DiagnosticBase & { readonly code: 'invalid-tool'; readonly tool: string | undefined })
  /** Two tools would have one public name; `winner` has it. */
  | (DiagnosticBase & {
      readonly code: 'name-collision';
      readonly tool: string;
      readonly name: string;
      readonly winner: { readonly server: string; readonly tool: string };
    })
  /** The source's tools could not be listed; the last that it listed stay. */
  | (DiagnosticBase & { readonly code: 'listing-failed'; readonly cause: unknown });

interface DiagnosticBase {
  readonly server: string;
  /** For people: what is wrong and what would be right. */
  readonly message: string;
}

/** Foreign text as it may stand in a message: quoted, with escapes, cut. */
export function quote(text: string): string {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return JSON.stringify(shown);
}

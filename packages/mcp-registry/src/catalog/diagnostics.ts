import type { ToolFinding } from '../findings/tool-finding.js';

/** Place of a role's rule. Lines and columns start at 1. */
export interface RulePlace {
  readonly file?: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** A part of a source's offer that the registry refuses or cannot read. Data, because the rest continues to work. */
export type RegistryDiagnostic =
  /** A source names one tool twice; the first is kept. */
  | (DiagnosticBase & { readonly code: 'duplicate-tool'; readonly tool: string })
  /** An entry of a source's list is not a tool; `tool` is its name if it has one. */
  | (DiagnosticBase & { readonly code: 'invalid-tool'; readonly tool: string | undefined })
  /** A field of a tool was shortened or left out for its size; the tool is kept. */
  | (DiagnosticBase & { readonly code: 'reduced-tool'; readonly tool: string; readonly field: string })
  /** A source offers more tools than are kept or reported. */
  | (DiagnosticBase & { readonly code: 'too-many-tools' })
  /** Calls of a tool are not checked against all of its schema, or not at all; its server checks them. */
  | (DiagnosticBase & { readonly code: 'unchecked-arguments'; readonly tool: string })
  /** Two tools would have one public name; `winner` has it. */
  | (DiagnosticBase & {
      readonly code: 'name-collision';
      readonly tool: string;
      readonly name: string;
      readonly winner: { readonly server: string; readonly tool: string };
    })
  /** The source's tools could not be listed; the previous ones stay. */
  | (DiagnosticBase & { readonly code: 'listing-failed'; readonly cause: unknown })
  /** The audit sink threw and lost `lost` events; `cause` is its last error. */
  | {
      readonly code: 'audit-failed';
      readonly server?: undefined;
      readonly lost: number;
      readonly cause: unknown;
      readonly message: string;
    }
  /** The pins could not be read, or an approval or first use could not be saved. The tools concerned stay hidden. */
  | {
      readonly code: 'pin-store-failed';
      readonly server?: undefined;
      readonly cause: unknown;
      readonly message: string;
    }
  /** An entry of a role's list matches no tool of the server that it names, or of any; such a denial denies nothing. */
  | {
      readonly code: 'rule-matches-nothing';
      /** The server that the entry names, if it names one. */
      readonly server?: string | undefined;
      readonly role: string;
      readonly list: 'allowedTools' | 'deniedTools';
      /** The entry as written. */
      readonly pattern: string;
      /** Owner and place of the rule, as given. */
      readonly rule: { readonly tool?: string | undefined; readonly source?: RulePlace | undefined };
      /** Public names of similar tools, nearest first. */
      readonly suggestions: readonly string[];
      /** Servers that have not listed their tools, and may have one that the entry matches. */
      readonly unlisted: readonly string[];
      readonly message: string;
    }
  /**
   * An entry of a role's list fits several servers. In an allow-list it means only the first, in a deny-list all of
   * them.
   */
  | {
      readonly code: 'ambiguous-rule';
      /** The server that the entry means. */
      readonly server: string;
      /** All servers that it fits, in order of precedence. */
      readonly servers: readonly string[];
      readonly role: string;
      readonly list: 'allowedTools' | 'deniedTools';
      /** The entry as written. */
      readonly pattern: string;
      /** Owner and place of the rule, as given. */
      readonly rule: { readonly tool?: string | undefined; readonly source?: RulePlace | undefined };
      readonly message: string;
    }
  /** Tools of a server wait for approval; only operators see them. */
  | (DiagnosticBase & { readonly code: 'tools-held-back'; readonly pending: number; readonly changed: number })
  /** The text of a tool looks like an attempt to mislead. It blocks nothing. */
  | ToolFinding;

/** Facts of a diagnostic about a source, beside its code. */
export interface DiagnosticBase {
  readonly server: string;
  /** For people: the fault and its remedy. */
  readonly message: string;
}

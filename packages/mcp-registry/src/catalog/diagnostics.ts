import type { ToolFinding } from '../findings/tool-finding.js';

/** Where a rule of a role is written. Lines and columns start at 1. */
export interface RulePlace {
  readonly file?: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** Something that a source offers and the registry does not, or cannot learn. Data, because the rest goes on. */
export type RegistryDiagnostic =
  /** A source names one tool twice; the first is kept. */
  | (DiagnosticBase & { readonly code: 'duplicate-tool'; readonly tool: string })
  /** An entry of a source's list is no tool; `tool` is its name if it has one. */
  | (DiagnosticBase & { readonly code: 'invalid-tool'; readonly tool: string | undefined })
  /** A field of a tool was shortened or left out for its size; the tool is there. */
  | (DiagnosticBase & { readonly code: 'reduced-tool'; readonly tool: string; readonly field: string })
  /** A source offers more than is kept or told of. */
  | (DiagnosticBase & { readonly code: 'too-many-tools' })
  /** Calls of a tool are not checked, or not for everything that its schema asks; its server checks them. */
  | (DiagnosticBase & { readonly code: 'unchecked-arguments'; readonly tool: string })
  /** Two tools would have one public name; `winner` has it. */
  | (DiagnosticBase & {
      readonly code: 'name-collision';
      readonly tool: string;
      readonly name: string;
      readonly winner: { readonly server: string; readonly tool: string };
    })
  /** The source's tools could not be listed; the last that it listed stay. */
  | (DiagnosticBase & { readonly code: 'listing-failed'; readonly cause: unknown })
  /** The audit sink threw and did not take `lost` events; `cause` is what it threw the last time. */
  | {
      readonly code: 'audit-failed';
      readonly server?: undefined;
      readonly lost: number;
      readonly cause: unknown;
      readonly message: string;
    }
  /** The pins could not be read, or an approval or first use could not be kept. What it was about is not shown. */
  | {
      readonly code: 'pin-store-failed';
      readonly server?: undefined;
      readonly cause: unknown;
      readonly message: string;
    }
  /** An entry of a role's list matches no tool of the server that it names, or of any; a denial that does denies nothing. */
  | {
      readonly code: 'rule-matches-nothing';
      /** The server that the entry names, if it names one. */
      readonly server?: string | undefined;
      readonly role: string;
      readonly list: 'allowedTools' | 'deniedTools';
      /** The entry as it is written. */
      readonly pattern: string;
      /** What the rule belongs to and where it is written, as it was given. */
      readonly rule: { readonly tool?: string | undefined; readonly source?: RulePlace | undefined };
      /** Public names of tools that may be meant, nearest first. */
      readonly suggestions: readonly string[];
      /** Servers that have not listed their tools, and may have one that the entry matches. */
      readonly unlisted: readonly string[];
      readonly message: string;
    }
  /** An entry of a role's list fits several servers. One that allows means the first of them alone, one that denies means all. */
  | {
      readonly code: 'ambiguous-rule';
      /** The server that the entry means. */
      readonly server: string;
      /** All servers that it fits, in order of precedence. */
      readonly servers: readonly string[];
      readonly role: string;
      readonly list: 'allowedTools' | 'deniedTools';
      /** The entry as it is written. */
      readonly pattern: string;
      /** What the rule belongs to and where it is written, as it was given. */
      readonly rule: { readonly tool?: string | undefined; readonly source?: RulePlace | undefined };
      readonly message: string;
    }
  /** Tools of a server wait for an approval, and nobody but operators sees them. */
  | (DiagnosticBase & { readonly code: 'tools-held-back'; readonly pending: number; readonly changed: number })
  /** The text of a tool looks like an attempt to mislead. It blocks nothing. */
  | ToolFinding;

/** What a diagnostic about a source tells beside its code. */
export interface DiagnosticBase {
  readonly server: string;
  /** For people: what is wrong and what would be right. */
  readonly message: string;
}

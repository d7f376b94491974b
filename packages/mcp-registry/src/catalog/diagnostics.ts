import type { ToolFinding } from '../findings/tool-finding.js';

/** Place of a role's rule. Lines and columns start at 1. */
export interface RulePlace {
  readonly file?: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** A fault of a source or of the configuration. The rest continues to work. */
export type RegistryDiagnostic =
  /** A source lists one name twice; the first is kept. */
  | (DiagnosticBase & { readonly code: 'duplicate-tool'; readonly tool: string })
  /** An entry of a source's list is not a tool. */
  | (DiagnosticBase & { readonly code: 'invalid-tool'; readonly tool: string | undefined })
  /** A field was cut or left out for its size; the tool is kept. */
  | (DiagnosticBase & { readonly code: 'reduced-tool'; readonly tool: string; readonly field: string })
  /** A source offers more tools than are kept or reported. */
  | (DiagnosticBase & { readonly code: 'too-many-tools' })
  /** The registry does not check all arguments of a tool; its server must. */
  | (DiagnosticBase & { readonly code: 'unchecked-arguments'; readonly tool: string })
  /** Two tools have the same public name; `winner` keeps it. */
  | (DiagnosticBase & {
      readonly code: 'name-collision';
      readonly tool: string;
      readonly name: string;
      readonly winner: { readonly server: string; readonly tool: string };
    })
  /** A source has no tool that an override names. */
  | (DiagnosticBase & {
      readonly code: 'override-matches-nothing';
      readonly tool: string;
      /** Names of similar tools of the source, nearest first. */
      readonly suggestions: readonly string[];
    })
  /** A part of a source's overrides is invalid and left out. A tool whose `hidden` is invalid is hidden. */
  | (DiagnosticBase & { readonly code: 'invalid-override'; readonly tool: string | undefined })
  /** A source's tools could not be listed; the previous ones stay. */
  | (DiagnosticBase & { readonly code: 'listing-failed'; readonly cause: unknown })
  /** The audit sink threw and lost `lost` events; `cause` is its last error. */
  | {
      readonly code: 'audit-failed';
      readonly server?: undefined;
      readonly lost: number;
      readonly cause: unknown;
      readonly message: string;
    }
  /** The pins could not be read or saved. The tools concerned stay hidden. */
  | {
      readonly code: 'pin-store-failed';
      readonly server?: undefined;
      readonly cause: unknown;
      readonly message: string;
    }
  /** An entry of a role's list matches no tool. */
  | {
      readonly code: 'rule-matches-nothing';
      /** The server that the entry names, if any. */
      readonly server?: string | undefined;
      readonly role: string;
      readonly list: 'allowedTools' | 'askBefore' | 'deniedTools';
      /** As written. */
      readonly pattern: string;
      readonly rule: { readonly tool?: string | undefined; readonly source?: RulePlace | undefined };
      /** Public names of similar tools, nearest first. */
      readonly suggestions: readonly string[];
      /** Servers that have not listed their tools yet. */
      readonly unlisted: readonly string[];
      readonly message: string;
    }
  /** An entry of a role's list fits several servers. It allows only the first, but denies all. */
  | {
      readonly code: 'ambiguous-rule';
      /** The first of `servers`. */
      readonly server: string;
      /** In order of precedence. */
      readonly servers: readonly string[];
      readonly role: string;
      readonly list: 'allowedTools' | 'askBefore' | 'deniedTools';
      /** As written. */
      readonly pattern: string;
      readonly rule: { readonly tool?: string | undefined; readonly source?: RulePlace | undefined };
      readonly message: string;
    }
  /** Tools of a server wait for approval. */
  | (DiagnosticBase & { readonly code: 'tools-held-back'; readonly pending: number; readonly changed: number })
  /** Suspicious text of a tool. Blocks nothing. */
  | ToolFinding;

/** Common to all diagnostics about a source. */
export interface DiagnosticBase {
  readonly server: string;
  /** The fault and its remedy. */
  readonly message: string;
}

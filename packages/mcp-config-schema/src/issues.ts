import type { RequirementTier, SourcePosition } from './config.js';

/** Keys and list indexes from the top of the text, as in `['mcp_servers', 'git', 'args', 0]`. */
export type ConfigPath = readonly (string | number)[];

interface IssueBase extends SourcePosition {
  /** A text with an error gives no config; a warning leaves the config usable. */
  readonly severity: 'error' | 'warning';
  /** One line for people; may improve in any release. Holds no control characters and no secret values. */
  readonly message: string;
  readonly path: ConfigPath;
  /** What to do about it, in one line. */
  readonly hint?: string | undefined;
}

/** One thing that is wrong with a text. `code` is public API and has a page of its own in the documentation. */
export type ConfigIssue =
  | (IssueBase & { readonly code: 'syntax' | 'empty-file' | 'mixed-file' })
  | (IssueBase & { readonly code: 'command-and-url' | 'health-check-without-tool' | 'ignored-key' })
  | (IssueBase & { readonly code: 'unrecognised-file'; readonly expected: readonly string[] })
  | (IssueBase & { readonly code: 'too-large'; readonly limit: number; readonly unit: 'bytes' | 'parts' })
  | (IssueBase & { readonly code: 'too-deep' | 'too-many-servers'; readonly limit: number })
  | (IssueBase & { readonly code: 'forbidden-key' | 'missing-key'; readonly key: string })
  | (IssueBase & { readonly code: 'unknown-key'; readonly key: string; readonly didYouMean?: string | undefined })
  | (IssueBase & { readonly code: 'duplicate-key'; readonly key: string; readonly first: SourcePosition })
  | (IssueBase & { readonly code: 'duplicate-server'; readonly server: string; readonly first: SourcePosition })
  | (IssueBase & { readonly code: 'invalid-value'; readonly expected: string })
  | (IssueBase & { readonly code: 'unset-variable'; readonly variable: string })
  | (IssueBase & { readonly code: 'unknown-server'; readonly server: string; readonly didYouMean?: string | undefined })
  | (IssueBase & {
      readonly code: 'conflicting-tiers';
      readonly server: string;
      readonly tiers: readonly [RequirementTier, RequirementTier];
    });

export type ConfigIssueCode = ConfigIssue['code'];

/** An issue before it is known where it stands. */
export type ConfigFault = WithoutPlace<ConfigIssue>;

type WithoutPlace<Issue> = Issue extends ConfigIssue ? Omit<Issue, keyof SourcePosition | 'path'> : never;

import type { RequirementTier, SourcePosition } from './config.js';

/** Keys and list indexes from the top of the text, such as `['mcp_servers', 'git', 'args', 0]`. */
export type ConfigPath = readonly (string | number)[];

export interface ConfigIssueBase extends SourcePosition {
  /** An error prevents a config; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** One line for people, without control characters and secret values. The text may change in any release. */
  readonly message: string;
  readonly path: ConfigPath;
  readonly hint?: string | undefined;
}

/** A problem in a text. `code` is public API, with a page in the documentation. */
export type ConfigIssue =
  | (ConfigIssueBase & { readonly code: 'syntax' | 'empty-file' | 'mixed-file' })
  | (ConfigIssueBase & { readonly code: 'command-and-url' | 'health-check-without-tool' | 'ignored-key' })
  | (ConfigIssueBase & { readonly code: 'unrecognised-file'; readonly expected: readonly string[] })
  | (ConfigIssueBase & { readonly code: 'too-large'; readonly limit: number; readonly unit: 'bytes' | 'parts' })
  | (ConfigIssueBase & { readonly code: 'too-deep' | 'too-many-servers'; readonly limit: number })
  | (ConfigIssueBase & {
      readonly code: 'too-many-issues';
      readonly limit: number;
      /** Number of further issues. */
      readonly more: number;
    })
  | (ConfigIssueBase & { readonly code: 'forbidden-key' | 'missing-key'; readonly key: string })
  | (ConfigIssueBase & { readonly code: 'unknown-key'; readonly key: string; readonly didYouMean?: string | undefined })
  | (ConfigIssueBase & { readonly code: 'duplicate-key'; readonly key: string; readonly first: SourcePosition })
  | (ConfigIssueBase & { readonly code: 'duplicate-server'; readonly server: string; readonly first: SourcePosition })
  | (ConfigIssueBase & { readonly code: 'replaced-server'; readonly server: string; readonly replaced: SourcePosition })
  | (ConfigIssueBase & { readonly code: 'project-role'; readonly role: string })
  | (ConfigIssueBase & { readonly code: 'invalid-value'; readonly expected: string })
  | (ConfigIssueBase & { readonly code: 'unset-variable'; readonly variable: string })
  | (ConfigIssueBase & {
      readonly code: 'unknown-template';
      readonly template: string;
      readonly didYouMean?: string | undefined;
    })
  | (ConfigIssueBase & {
      readonly code: 'prompted-value';
      readonly input: string;
    })
  | (ConfigIssueBase & {
      readonly code: SecretIssueCode;
      /** Empty for a value that is not a reference. */
      readonly scheme: string;
    })
  | (ConfigIssueBase & { readonly code: 'no-virtual-environment' | 'missing-command'; readonly command: string })
  | (ConfigIssueBase & { readonly code: 'outside-extension' | 'missing-file'; readonly given: string })
  | (ConfigIssueBase & {
      readonly code: 'unknown-server';
      readonly server: string;
      readonly didYouMean?: string | undefined;
    })
  | (ConfigIssueBase & {
      readonly code: 'missing-required-server';
      readonly server: string;
      /** Entry of `tools.yaml` that requires the server. */
      readonly tool: string;
      readonly didYouMean?: string | undefined;
    })
  | (ConfigIssueBase & {
      readonly code: 'conflicting-tiers';
      readonly server: string;
      readonly tiers: readonly [RequirementTier, RequirementTier];
    })
  | (ConfigIssueBase & { readonly code: 'colliding-names'; readonly server: string; readonly first: SourcePosition })
  | (ConfigIssueBase & { readonly code: 'package-mismatch'; readonly package: string; readonly started: string })
  | (ConfigIssueBase & {
      readonly code: 'dead-rule';
      readonly rule: string;
      /** The rule that makes this one ineffective, and its position. */
      readonly by: { readonly rule: string } & SourcePosition;
    })
  | (ConfigIssueBase & { readonly code: 'misplaced-star'; readonly rule: string })
  | (ConfigIssueBase & {
      readonly code: 'rule-matches-nothing';
      readonly rule: string;
      /** Similar tool names, nearest first. */
      readonly suggestions: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'override-matches-nothing';
      readonly server: string;
      readonly tool: string;
      /** Similar tool names, nearest first. */
      readonly suggestions: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'ambiguous-rule';
      readonly rule: string;
      /** Servers that the rule fits. A permission applies to the first one only, a denial to all. */
      readonly servers: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'unknown-role';
      readonly role: string;
      readonly didYouMean?: string | undefined;
    })
  | (ConfigIssueBase & {
      readonly code: 'circular-roles';
      /** The roles of the cycle; the first one is repeated at the end. At most ten. */
      readonly roles: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'second-default';
      readonly role: string;
      /** The first default role and its position. */
      readonly first: { readonly role: string } & SourcePosition;
    })
  | (ConfigIssueBase & {
      readonly code: 'foreign-tool';
      readonly tool: string;
      readonly server: string;
    })
  | (ConfigIssueBase & { readonly code: 'lost-backslash' | 'unsplit-command' | 'inline-secret' | 'own-gateway' })
  | (ConfigIssueBase & { readonly code: FileIssueCode });

/** Issues of files rather than of their texts; found only by the `./load` entry. */
export type FileIssueCode = 'outside-project' | 'readable-secret' | 'untrusted-file';

/** Issues of extensions; found only by the `./extension` entry. */
export type ExtensionIssueCode = 'no-virtual-environment' | 'outside-extension' | 'missing-file';

/** Issues of this machine; found only by `mcpx validate`. */
export type MachineIssueCode = 'missing-command';

/** Issues of rules and overrides that need the listed tools of servers. */
export type RuleIssueCode = 'rule-matches-nothing' | 'override-matches-nothing' | 'ambiguous-rule';

/** Issues of secret references; found only by the `./secrets` entry. */
export type SecretIssueCode = 'unresolved-secret';

/** Codes of all issues. Public API; each has a page in `docs/errors`. */
export type ConfigIssueCode = ConfigIssue['code'];

/** An issue without its position. */
export type ConfigFault = WithoutPlace<ConfigIssue>;

type WithoutPlace<Issue> = Issue extends ConfigIssue ? Omit<Issue, keyof SourcePosition | 'path'> : never;

import type { RequirementTier, SourcePosition } from './config.js';

/** Keys and list indexes from the top of the text, as in `['mcp_servers', 'git', 'args', 0]`. */
export type ConfigPath = readonly (string | number)[];

/** What every issue says. */
export interface ConfigIssueBase extends SourcePosition {
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
  | (ConfigIssueBase & { readonly code: 'syntax' | 'empty-file' | 'mixed-file' })
  | (ConfigIssueBase & { readonly code: 'command-and-url' | 'health-check-without-tool' | 'ignored-key' })
  | (ConfigIssueBase & { readonly code: 'unrecognised-file'; readonly expected: readonly string[] })
  | (ConfigIssueBase & { readonly code: 'too-large'; readonly limit: number; readonly unit: 'bytes' | 'parts' })
  | (ConfigIssueBase & { readonly code: 'too-deep' | 'too-many-servers'; readonly limit: number })
  | (ConfigIssueBase & {
      readonly code: 'too-many-issues';
      readonly limit: number;
      /** How many there are beside those that are listed. */
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
      /** The `key` of `${input:key}`. */
      readonly input: string;
    })
  | (ConfigIssueBase & {
      readonly code: SecretIssueCode;
      /** Empty for what is no reference. */
      readonly scheme: string;
    })
  | (ConfigIssueBase & { readonly code: 'no-virtual-environment'; readonly command: string })
  | (ConfigIssueBase & { readonly code: 'outside-extension' | 'missing-file'; readonly given: string })
  | (ConfigIssueBase & {
      readonly code: 'unknown-server';
      readonly server: string;
      readonly didYouMean?: string | undefined;
    })
  | (ConfigIssueBase & {
      readonly code: 'missing-required-server';
      readonly server: string;
      /** The entry of `tools.yaml` that cannot do without the server. */
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
      /** The rule that leaves this one without effect, and where it stands. */
      readonly by: { readonly rule: string } & SourcePosition;
    })
  | (ConfigIssueBase & { readonly code: 'misplaced-star'; readonly rule: string })
  | (ConfigIssueBase & {
      readonly code: 'rule-matches-nothing';
      readonly rule: string;
      /** Names of tools that may be meant, nearest first. */
      readonly suggestions: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'ambiguous-rule';
      readonly rule: string;
      /** Servers that the rule fits. A permission means the first alone, a denial all of them. */
      readonly servers: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'unknown-role';
      readonly role: string;
      readonly didYouMean?: string | undefined;
    })
  | (ConfigIssueBase & {
      readonly code: 'circular-roles';
      /** The roles on the way round, the first one once more at the end. At most ten. */
      readonly roles: readonly string[];
    })
  | (ConfigIssueBase & {
      readonly code: 'second-default';
      readonly role: string;
      /** The role that is the default already, and where that stands. */
      readonly first: { readonly role: string } & SourcePosition;
    })
  | (ConfigIssueBase & {
      readonly code: 'foreign-tool';
      readonly tool: string;
      /** The server whose tool it is. */
      readonly server: string;
    })
  | (ConfigIssueBase & { readonly code: 'lost-backslash' | 'unsplit-command' | 'inline-secret' | 'own-gateway' })
  | (ConfigIssueBase & { readonly code: FileIssueCode });

/** Issues of files rather than of their texts; only the `./load` entry finds them. */
export type FileIssueCode = 'outside-project' | 'readable-secret' | 'untrusted-file';

/** Issues of extensions; only the `./extension` entry finds them. */
export type ExtensionIssueCode = 'no-virtual-environment' | 'outside-extension' | 'missing-file';

/** Issues of role rules that only those can find who know which tools servers list. */
export type RuleIssueCode = 'rule-matches-nothing' | 'ambiguous-rule';

/** Issues of secret references; only the `./secrets` entry finds them. */
export type SecretIssueCode = 'unresolved-secret';

/** The codes of all issues. Public API: each has a page in `docs/errors`. */
export type ConfigIssueCode = ConfigIssue['code'];

/** An issue before it is known where it stands. */
export type ConfigFault = WithoutPlace<ConfigIssue>;

type WithoutPlace<Issue> = Issue extends ConfigIssue ? Omit<Issue, keyof SourcePosition | 'path'> : never;

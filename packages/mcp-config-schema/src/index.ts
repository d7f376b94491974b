// Public API of "@x/mcp-config-schema".

export type { ToolOverride, ToolOverrides } from '@x/internal/contracts';
export type { Redactor } from '@x/internal/secrets';
export { createRedactor } from '@x/internal/secrets';
export type {
  Readiness,
  Requirement,
  RequirementReport,
  RequirementStatus,
  ServerFacts,
  ToolReadiness,
} from './check-requirements.js';
export { checkRequirements } from './check-requirements.js';
export type {
  AuthReference,
  Config,
  ConfigLayer,
  HealthCheck,
  HttpServerConfig,
  McpSettings,
  RequiredAnnotations,
  RequirementTier,
  RoleRule,
  SecretReference,
  ServerConfig,
  ServerConfigBase,
  ServerLimits,
  ServerPlacement,
  ServerRestart,
  SourcePosition,
  StdioServerConfig,
  ToolConfig,
} from './config.js';
export type { ConfigErrorCode } from './errors.js';
export { ConfigError, isConfigError } from './errors.js';
export type { FormatIssueOptions } from './format-issue.js';
export { formatIssue } from './format-issue.js';
export type {
  ConfigIssue,
  ConfigIssueBase,
  ConfigIssueCode,
  ConfigPath,
  ExtensionIssueCode,
  FileIssueCode,
  MachineIssueCode,
  RuleIssueCode,
  SecretIssueCode,
} from './issues.js';
export type { ValueOrigin } from './origins.js';
export type { CheckOptions, ConfigCheck, ConfigInput } from './parse-config.js';
export { checkConfig, parseConfig } from './parse-config.js';
export type { VariablePolicy } from './servers/expand-in.js';
export type { ServerEntry, WrittenLaunch } from './written-launch.js';

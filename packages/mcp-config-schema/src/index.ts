// Public API of "@x/mcp-config-schema".

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
  ServerPlacement,
  SourcePosition,
  StdioServerConfig,
  ToolConfig,
} from './config.js';
export type { ConfigErrorCode } from './errors.js';
export { ConfigError, isConfigError } from './errors.js';
export type { ExtensionManifest } from './extension/read-manifest.js';
export { extensionManifestSchema } from './extension/read-manifest.js';
export type { FormatIssueOptions } from './format-issue.js';
export { formatIssue } from './format-issue.js';
export type {
  ConfigIssue,
  ConfigIssueBase,
  ConfigIssueCode,
  ConfigPath,
  ExtensionIssueCode,
  FileIssueCode,
  RuleIssueCode,
  SecretIssueCode,
} from './issues.js';
export type { ValueOrigin } from './origins.js';
export type { IssueReport, ReportedIssue } from './output/issues-to-json.js';
export { issuesToJson } from './output/issues-to-json.js';
export type { SarifLocation, SarifLog, SarifOptions, SarifResult, SarifRule, SarifRun } from './output/to-sarif.js';
export { toSarif } from './output/to-sarif.js';
export type { CheckOptions, ConfigCheck, ConfigInput } from './parse-config.js';
export { checkConfig, parseConfig } from './parse-config.js';
export type { McpJson, McpServersFile, VscodeJson } from './schema/server-files.js';
export { mcpJsonSchema, mcpServersFileSchema, vscodeJsonSchema } from './schema/server-files.js';
export type { ToolsFile } from './schema/tools-file.js';
export { toolsFileSchema } from './schema/tools-file.js';
export type { VariablePolicy } from './servers/expand-in.js';
export type {
  ExpandedTemplate,
  TemplateFault,
  TemplatePlaces,
  TemplateVariables,
} from './template/expand-template.js';
export { expandTemplate, keepVariables } from './template/expand-template.js';
export type { TemplateExpression, TemplatePart, TemplatePlace } from './template/parse-template.js';
export { escapeTemplate, parseTemplate } from './template/parse-template.js';
export type { ServerEntry, WrittenLaunch } from './written-launch.js';

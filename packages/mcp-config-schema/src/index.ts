// Everything that can be imported from "@x/mcp-config-schema". A new line here is new public API.
export type {
  Config,
  HealthCheck,
  HttpServerConfig,
  McpSettings,
  RequirementTier,
  RoleRule,
  ServerConfig,
  SourcePosition,
  StdioServerConfig,
  ToolConfig,
} from './config.js';
export type { ConfigErrorCode } from './errors.js';
export { ConfigError, isConfigError } from './errors.js';
export type { FormatIssueOptions } from './format-issue.js';
export { formatIssue } from './format-issue.js';
export type { ConfigIssue, ConfigIssueCode, ConfigPath } from './issues.js';
export type { CheckOptions, ConfigCheck, ConfigInput } from './parse-config.js';
export { checkConfig, parseConfig } from './parse-config.js';
export type {
  Readiness,
  Requirement,
  RequirementReport,
  RequirementStatus,
  ServerFacts,
  ToolReadiness,
} from './requirements/check-requirements.js';
export { checkRequirements } from './requirements/check-requirements.js';
export type { McpJson, VscodeJson } from './schema/mcp-json.js';
export { mcpJsonSchema, vscodeJsonSchema } from './schema/mcp-json.js';
export type { McpServersFile } from './schema/mcp-servers-file.js';
export { mcpServersFileSchema } from './schema/mcp-servers-file.js';
export type { ToolsFile } from './schema/tools-file.js';
export { toolsFileSchema } from './schema/tools-file.js';
export type { ExpandedTemplate, TemplateFault, TemplateVariables } from './template/expand-template.js';
export { expandTemplate } from './template/expand-template.js';

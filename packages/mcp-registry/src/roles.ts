// Everything that can be imported from "@x/mcp-registry/roles". A new line here is new public API.
export type { AnySubject, PartSubject, RoleSubject, ServerSubject, ToolIdentity, ToolSubject } from '@x/internal/views';
export type { RulePlace } from './catalog/diagnostics.js';
export type { RoleDecision, RolePolicy, RoleRefusal } from './roles/compile-role.js';
export { compileRole } from './roles/compile-role.js';
export type { RoleExplanation } from './roles/explain-role.js';
export type { AnnotationHint, RequiredAnnotations, RoleRule, RoleRules } from './roles/role-rule.js';
export type { KnownServers } from './roles/tool-pattern.js';

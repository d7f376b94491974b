// Public API of "@x/mcp-config-schema/report".
export type { IssueReport, ReportedIssue } from './output/issues-to-json.js';
export { issuesToJson } from './output/issues-to-json.js';
export type { SarifLocation, SarifLog, SarifOptions, SarifResult, SarifRule, SarifRun } from './output/to-sarif.js';
export { toSarif } from './output/to-sarif.js';

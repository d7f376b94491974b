import type { SourcePosition } from '../config.js';
import type { ConfigIssue, ConfigIssueCode } from '../issues.js';
import { issueRules, pageOf } from './issue-rules.js';

/** Options of `toSarif`. */
export interface SarifOptions {
  readonly toolName?: string | undefined;
  readonly toolVersion?: string | undefined;
}

/** A log in the Static Analysis Results Interchange Format 2.1.0. */
export interface SarifLog {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly [SarifRun];
}

/** One run of a SARIF log. */
export interface SarifRun {
  readonly tool: {
    readonly driver: {
      readonly name: string;
      readonly version?: string;
      readonly informationUri: string;
      readonly rules: readonly SarifRule[];
    };
  };
  readonly columnKind: 'utf16CodeUnits';
  readonly results: readonly SarifResult[];
}

/** Description of a code, with the address of its page. */
export interface SarifRule {
  readonly id: ConfigIssueCode;
  readonly shortDescription: { readonly text: string };
  readonly helpUri: string;
}

/** One result of a SARIF run. */
export interface SarifResult {
  readonly ruleId: ConfigIssueCode;
  readonly ruleIndex: number;
  readonly level: 'error' | 'warning';
  readonly message: { readonly text: string };
  /** Empty for an issue of a text without a file name. */
  readonly locations: readonly SarifLocation[];
  /** Another position that the issue refers to, such as the first of two servers with the same name. */
  readonly relatedLocations?: readonly SarifLocation[];
}

/** Position in a file. Lines and columns start at 1. */
export interface SarifLocation {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region: { readonly startLine: number; readonly startColumn: number };
  };
  readonly message?: { readonly text: string };
}

/** Converts issues to a SARIF log for CI. Rules are those with a result. */
export function toSarif(issues: readonly ConfigIssue[], options: SarifOptions = {}): SarifLog {
  const { toolName = 'mcp-config-schema', toolVersion } = options;
  const codes = [...new Set(issues.map(({ code }) => code))];
  const driver = {
    name: toolName,
    ...(toolVersion === undefined ? {} : { version: toolVersion }),
    informationUri: 'https://github.com/x/mcp-plumbing',
    rules: codes.map((code) => ({ id: code, shortDescription: { text: issueRules[code] }, helpUri: pageOf(code) })),
  };
  const results = issues.map((issue) => resultOf(issue, codes.indexOf(issue.code)));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
}

function resultOf(issue: ConfigIssue, ruleIndex: number): SarifResult {
  const { code, severity, message, hint } = issue;
  const other = relatedLocationsOf(issue);
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    locations: locationsOf(issue),
    ...(other === undefined || other.length === 0 ? {} : { relatedLocations: other }),
  };
}

function relatedLocationsOf(issue: ConfigIssue): readonly SarifLocation[] | undefined {
  if ('first' in issue) return locationsOf(issue.first, 'The first of the two');
  return 'by' in issue ? locationsOf(issue.by, 'The rule that decides') : undefined;
}

function locationsOf({ file, line, column }: SourcePosition, text?: string): readonly SarifLocation[] {
  if (file === undefined) return [];
  const physicalLocation = {
    artifactLocation: { uri: fileUri(file) },
    region: { startLine: line, startColumn: column },
  };
  return [{ physicalLocation, ...(text === undefined ? {} : { message: { text } }) }];
}

export function fileUri(path: string): string {
  const isWindows = /^([A-Za-z]:[\\/]|\\\\)/.test(path) || (path.includes('\\') && !path.includes('/'));
  const plain = isWindows ? path.replaceAll('\\', '/') : path;
  const encoded = plain.split('/').map(encodeSegment).join('/');
  if (/^[A-Za-z]:\//.test(plain)) return `file:///${encoded.replace('%3A', ':')}`;
  if (plain.startsWith('//')) return `file:${encoded}`;
  return plain.startsWith('/') ? `file://${encoded}` : encoded;
}

/** Replaces lone surrogates, which cannot be encoded. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

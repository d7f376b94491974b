import {
  type CheckOptions,
  type ConfigCheck,
  type ConfigIssue,
  checkConfig,
  type ServerConfig,
} from '../../src/index.js';

/** Checks one text as YAML, or as JSON if it is JSON. */
export function checkText(text: string, file = 'mcp_servers.yaml', options?: CheckOptions): ConfigCheck {
  return checkConfig({ text, file }, options);
}

/** `line:column code` of each issue. */
export function placesOf({ issues }: ConfigCheck): string[] {
  return issues.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

/** The only issue of a text. */
export function onlyIssue({ issues }: ConfigCheck): ConfigIssue {
  const [issue, ...others] = issues;
  if (issue === undefined || others.length > 0) throw new Error(`expected one issue, got ${JSON.stringify(issues)}`);
  return issue;
}

/** The server of a valid text. */
export function serverOf({ config, issues }: ConfigCheck, name: string): ServerConfig {
  const server = config?.servers.find((candidate) => candidate.name === name);
  if (server === undefined) throw new Error(`no server ${name}: ${JSON.stringify(issues)}`);
  return server;
}

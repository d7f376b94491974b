import type {
  CheckOptions,
  ConfigInput,
  ConfigIssueCode,
  ExtensionIssueCode,
  FileIssueCode,
  MachineIssueCode,
  RuleIssueCode,
  SecretIssueCode,
} from '../../src/index.js';

/** Issues that `checkConfig` finds in a text, without others. */
type TextIssueCode = Exclude<
  ConfigIssueCode,
  ExtensionIssueCode | FileIssueCode | MachineIssueCode | RuleIssueCode | SecretIssueCode | 'too-many-issues'
>;

export interface IssueExample {
  readonly inputs: readonly ConfigInput[];
  readonly options?: CheckOptions;
  /** The same inputs without the fault. */
  readonly fixed: readonly ConfigInput[];
  /** Too long for the page of the code. */
  readonly isLong?: boolean;
}

const servers = (text: string) => ({ file: 'mcp_servers.yaml', text });
const tools = (text: string) => ({ file: 'tools.yaml', text });
const json = (text: string) => ({ file: '.mcp.json', text });

const git = `mcp_servers:
  git:
    command: npx -y git-server
`;

const roles = (review: string, { allowed, more }: { readonly allowed: string; readonly more: string }) => `tools:
  claude-code:
    role_restrictions:
      review:
        allowed_tools: ${review}
      implementation:
        allowed_tools: ${allowed}
        ${more}
`;

/** A minimal configuration with each issue, and its corrected form. */
export const issueExamples: Readonly<Record<TextIssueCode, IssueExample>> = {
  syntax: {
    inputs: [servers('mcp_servers:\n\tgit:\n\t\tcommand: npx -y git-server\n')],
    fixed: [servers(git)],
  },
  'empty-file': {
    inputs: [servers('# mcp_servers:\n#   git:\n#     command: npx -y git-server\n')],
    fixed: [servers('mcp_servers: {}\n')],
  },
  'unrecognised-file': {
    inputs: [servers('mcp-server:\n  git:\n    command: npx -y git-server\n')],
    fixed: [servers(git)],
  },
  'mixed-file': {
    inputs: [servers(`${git}tools:\n  claude-code:\n    mcp_tools:\n      required: [git]\n`)],
    fixed: [servers(git), tools('tools:\n  claude-code:\n    mcp_tools:\n      required: [git]\n')],
  },
  'too-large': {
    inputs: [servers(`${git}# ${'-'.repeat(5_000_000)}\n`)],
    fixed: [servers(git)],
    isLong: true,
  },
  'too-deep': {
    inputs: [json(`{ "mcpServers": ${'['.repeat(100)}${']'.repeat(100)} }`)],
    fixed: [json('{ "mcpServers": {} }')],
    isLong: true,
  },
  'too-many-servers': {
    inputs: [
      servers(`mcp_servers:\n${Array.from({ length: 10_001 }, (_, n) => `  s${n}: { command: npx }\n`).join('')}`),
    ],
    fixed: [servers(git)],
    isLong: true,
  },
  'forbidden-key': {
    inputs: [servers('mcp_servers:\n  constructor:\n    command: npx -y crane\n')],
    fixed: [servers('mcp_servers:\n  construction:\n    command: npx -y crane\n')],
  },
  'duplicate-key': {
    inputs: [
      json(
        '{\n  "mcpServers": {\n    "git": { "command": "git-mcp" },\n    "git": { "command": "git-mcp-2" }\n  }\n}\n',
      ),
    ],
    fixed: [json('{\n  "mcpServers": {\n    "git": { "command": "git-mcp-2" }\n  }\n}\n')],
  },
  'duplicate-server': {
    inputs: [servers(git), json('{\n  "mcpServers": {\n    "git": { "command": "git-mcp" }\n  }\n}\n')],
    fixed: [servers(git), json('{\n  "mcpServers": {\n    "git-2": { "command": "git-mcp" }\n  }\n}\n')],
  },
  'replaced-server': {
    inputs: [
      { ...json('{\n  "mcpServers": {\n    "git": { "command": "git-mcp" }\n  }\n}\n'), layer: 'project' },
      { ...servers(git), file: '/home/ann/.config/mcpx/mcp_servers.yaml', layer: 'user' },
    ],
    fixed: [
      { ...json('{\n  "mcpServers": {\n    "project-git": { "command": "git-mcp" }\n  }\n}\n'), layer: 'project' },
      { ...servers(git), file: '/home/ann/.config/mcpx/mcp_servers.yaml', layer: 'user' },
    ],
  },
  'project-role': {
    inputs: [
      {
        ...tools(`tools:\n  claude-code:\n    role_restrictions:\n      employee:\n        allowed_tools: [bash]\n`),
        layer: 'project',
      },
      {
        ...tools('tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: [bash]\n'),
        file: '/home/ann/.config/mcpx/tools.yaml',
        layer: 'user',
      },
    ],
    fixed: [
      {
        ...tools('tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: [bash]\n'),
        layer: 'project',
      },
      {
        ...tools('tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: [bash]\n'),
        file: '/home/ann/.config/mcpx/tools.yaml',
        layer: 'user',
      },
    ],
  },
  'unknown-key': {
    inputs: [servers('mcp_servers:\n  git:\n    comand: npx -y git-server\n')],
    fixed: [servers(git)],
  },
  'missing-key': {
    inputs: [servers('mcp_servers:\n  git:\n    auto_start: true\n')],
    fixed: [servers('mcp_servers:\n  git:\n    command: npx -y git-server\n    auto_start: true\n')],
  },
  'invalid-value': {
    inputs: [servers(`${git}    health_check:\n      timeout_seconds: 90\n`)],
    fixed: [servers(`${git}    health_check:\n      timeout_seconds: 30\n`)],
  },
  'command-and-url': {
    inputs: [servers(`${git}    url: https://example.com/mcp\n`)],
    fixed: [servers('mcp_servers:\n  git:\n    url: https://example.com/mcp\n')],
  },
  'health-check-without-tool': {
    inputs: [servers(`${git}    health_check:\n      method: tool_call\n`)],
    fixed: [servers(`${git}    health_check:\n      method: tool_call\n      tool: git.status\n`)],
  },
  'ignored-key': {
    inputs: [servers(`${git}    headers: { Accept-Language: en }\n`)],
    fixed: [servers(git)],
  },
  'unset-variable': {
    inputs: [servers(`${git}    env:\n      TOKEN: \${GIT_TOKEN}\n`)],
    fixed: [servers(`${git}    env:\n      TOKEN: \${GIT_TOKEN:-}\n`)],
  },
  'unknown-template': {
    inputs: [servers('mcp_servers:\n  files:\n    command: npx -y files-server {{rot}}\n')],
    fixed: [
      {
        ...servers('mcp_servers:\n  files:\n    command: npx -y files-server {{root}}\n'),
        places: { root: '/srv/app' },
      },
    ],
  },
  'prompted-value': {
    inputs: [
      {
        file: '.vscode/mcp.json',
        text: `{
  "servers": {
    "git": { "command": "git-mcp", "env": { "GIT_TOKEN": "\${input:token}" } }
  }
}
`,
      },
    ],
    options: { variables: { GIT_TOKEN: 'correct-horse-battery' } },
    fixed: [servers(`${git}    env:\n      GIT_TOKEN: \${GIT_TOKEN}\n`)],
  },
  'lost-backslash': {
    inputs: [servers('mcp_servers:\n  git:\n    command: C:\\tools\\git-mcp.exe --stdio\n')],
    fixed: [servers("mcp_servers:\n  git:\n    command: ['C:\\tools\\git-mcp.exe', --stdio]\n")],
  },
  'unsplit-command': {
    inputs: [json('{\n  "mcpServers": {\n    "git": { "command": "npx -y git-server" }\n  }\n}\n')],
    fixed: [json('{\n  "mcpServers": {\n    "git": { "command": "npx", "args": ["-y", "git-server"] }\n  }\n}\n')],
  },
  'unknown-server': {
    inputs: [servers(git), tools('tools:\n  claude-code:\n    mcp_tools:\n      recommended: [gti]\n')],
    fixed: [servers(git), tools('tools:\n  claude-code:\n    mcp_tools:\n      recommended: [git]\n')],
  },
  'missing-required-server': {
    inputs: [servers(git), tools('tools:\n  claude-code:\n    mcp_tools:\n      required: [git, files]\n')],
    fixed: [
      servers(`${git}  files:\n    command: npx -y files-server\n`),
      tools('tools:\n  claude-code:\n    mcp_tools:\n      required: [git, files]\n'),
    ],
  },
  'conflicting-tiers': {
    inputs: [
      servers(git),
      tools('tools:\n  claude-code:\n    mcp_tools:\n      required: [git]\n      optional: [git]\n'),
    ],
    fixed: [servers(git), tools('tools:\n  claude-code:\n    mcp_tools:\n      required: [git]\n')],
  },
  'colliding-names': {
    inputs: [
      servers(`${git}  my files:\n    command: npx -y files-server\n  my.files:\n    command: npx -y drive-server\n`),
    ],
    fixed: [
      servers(`${git}  my-files:\n    command: npx -y files-server\n  my-drive:\n    command: npx -y drive-server\n`),
    ],
  },
  'package-mismatch': {
    inputs: [servers('mcp_servers:\n  git:\n    package: "@example/git-server"\n    command: npx -y git-server\n')],
    fixed: [servers('mcp_servers:\n  git:\n    package: git-server\n    command: npx -y git-server\n')],
  },
  'own-gateway': {
    inputs: [servers('mcp_servers:\n  all:\n    command: npx -y @x/mcp-cli serve\n')],
    fixed: [servers('mcp_servers:\n  git:\n    command: npx -y git-server\n')],
  },
  'dead-rule': {
    inputs: [
      servers(git),
      tools('tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: [git.*, git.log]\n'),
    ],
    fixed: [
      servers(git),
      tools(
        'tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: [git.log, git.diff]\n',
      ),
    ],
  },
  'misplaced-star': {
    inputs: [
      servers(git),
      tools('tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: ["*"]\n'),
    ],
    fixed: [
      servers(git),
      tools('tools:\n  claude-code:\n    role_restrictions:\n      review:\n        allowed_tools: [git]\n'),
    ],
  },
  'unknown-role': {
    inputs: [servers(git), tools(roles('[git.log]', { allowed: '[git.push]', more: 'inherits: [reveiw]' }))],
    fixed: [servers(git), tools(roles('[git.log]', { allowed: '[git.push]', more: 'inherits: [review]' }))],
  },
  'circular-roles': {
    inputs: [
      servers(git),
      tools(
        roles('[git.log]\n        inherits: [implementation]', { allowed: '[git.push]', more: 'inherits: [review]' }),
      ),
    ],
    fixed: [servers(git), tools(roles('[git.log]', { allowed: '[git.push]', more: 'inherits: [review]' }))],
  },
  'second-default': {
    inputs: [
      servers(git),
      tools(roles('[git.log]\n        default: true', { allowed: '[git.push]', more: 'default: true' })),
    ],
    fixed: [
      servers(git),
      tools(roles('[git.log]\n        default: true', { allowed: '[git.push]', more: 'inherits: [review]' })),
    ],
  },
  'foreign-tool': {
    inputs: [
      servers(
        `${git}  files:\n    command: npx -y files-server\n    health_check:\n      method: tool_call\n      tool: git.status\n`,
      ),
    ],
    fixed: [
      servers(
        `${git}  files:\n    command: npx -y files-server\n    health_check:\n      method: tool_call\n      tool: files.list\n`,
      ),
    ],
  },
  'inline-secret': {
    inputs: [servers(`${git}    env:\n      GIT_TOKEN: correct-horse-battery\n`)],
    options: { variables: { GIT_TOKEN: 'correct-horse-battery' } },
    fixed: [servers(`${git}    env:\n      GIT_TOKEN: \${GIT_TOKEN}\n`)],
  },
};

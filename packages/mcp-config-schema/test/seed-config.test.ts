import { describe, expect, test } from 'vitest';
import { checkConfig, parseConfig } from '../src/index.js';

const tools = {
  file: 'config/tools.yaml',
  text: `# config/tools.yaml
tools:
  claude-code:
    binary: claude
    command_template: "{binary} {prompt_file} --model {model}"
    models: [claude-3.5-sonnet, claude-3-opus]
    
    # NEW: MCP tool requirements (documentation-only in M3)
    mcp_tools:
      required: [filesystem, git]        # Must be available
      recommended: [code-search]         # Enhances capabilities
      optional: [github, gitlab]         # Nice-to-have
    
    # NEW: Role-based tool restrictions
    role_restrictions:
      implementation:
        allowed_tools: [filesystem.write, git.commit, bash]
      review:
        allowed_tools: [filesystem.read, git.log, grep]
`,
};

const servers = {
  file: 'config/mcp_servers.yaml',
  text: `# config/mcp_servers.yaml (NEW file)
mcp_servers:
  filesystem:
    package: "@modelcontextprotocol/server-filesystem"
    command: "npx -y @modelcontextprotocol/server-filesystem /allowed/path"
    auto_start: true                    # Start automatically when needed
    health_check:
      method: "tool_call"
      tool: "filesystem.list_directory"
      args: {path: "/tmp"}
      timeout_seconds: 5
    
  git:
    package: "@modelcontextprotocol/server-git"
    command: "npx -y @modelcontextprotocol/server-git"
    auto_start: true
    health_check:
      method: "tool_call"
      tool: "git.status"
      timeout_seconds: 3
  
  code-search:
    package: "@modelcontextprotocol/server-code-search"
    command: "npx -y @modelcontextprotocol/server-code-search --index-path .code-index"
    auto_start: false                   # User manages lifecycle
    health_check:
      method: "ping"
      timeout_seconds: 2

# Global MCP settings
mcp_settings:
  auto_start_default: false             # Opt-in per server
  health_check_interval_seconds: 30
  startup_timeout_seconds: 10
  shutdown_timeout_seconds: 5
  log_directory: "logs/mcp_servers"
`,
};

const toolConfig = {
  name: 'claude-code',
  source: { file: 'config/tools.yaml', line: 3, column: 3 },
  binary: 'claude',
  commandTemplate: '{binary} {prompt_file} --model {model}',
  models: ['claude-3.5-sonnet', 'claude-3-opus'],
  mcpTools: { required: ['filesystem', 'git'], recommended: ['code-search'], optional: ['github', 'gitlab'] },
};

describe('declarations alone', () => {
  test('are read without any server', () => {
    expect(checkConfig(tools).issues).toEqual([]);
    const config = parseConfig(tools);
    expect(config.tools).toEqual([toolConfig]);
    expect(config.roles).toEqual([
      { role: 'implementation', allowedTools: ['filesystem.write', 'git.commit', 'bash'], tool: 'claude-code' },
      { role: 'review', allowedTools: ['filesystem.read', 'git.log', 'grep'], tool: 'claude-code' },
    ]);
  });
});

describe('declarations with the servers they are about', () => {
  const { config, issues } = checkConfig([servers, tools]);

  test('warn only of the optional servers that are not there', () => {
    expect(issues.map(({ code, severity, line, message }) => ({ code, severity, line, message }))).toEqual(
      ['github', 'gitlab'].map((server) => ({
        code: 'unknown-server',
        severity: 'warning',
        line: 12,
        message: `Tool "claude-code" lists as optional the server "${server}", which is not configured`,
      })),
    );
  });

  test('give every server with its defaults filled in', () => {
    const defaults = {
      transport: 'stdio',
      command: 'npx',
      env: {},
      tags: [],
      protocol: 'auto',
      startupTimeoutMs: 10_000,
      shutdownTimeoutMs: 5_000,
      restartOnFailure: true,
      maxRestartAttempts: 3,
      healthCheckIntervalMs: 30_000,
    };
    expect(config?.servers).toEqual([
      {
        ...defaults,
        name: 'filesystem',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/allowed/path'],
        package: '@modelcontextprotocol/server-filesystem',
        autoStart: true,
        healthCheck: { method: 'tool_call', tool: 'list_directory', args: { path: '/tmp' }, timeoutMs: 5_000 },
        source: { file: 'config/mcp_servers.yaml', line: 3, column: 3 },
      },
      {
        ...defaults,
        name: 'git',
        args: ['-y', '@modelcontextprotocol/server-git'],
        package: '@modelcontextprotocol/server-git',
        autoStart: true,
        healthCheck: { method: 'tool_call', tool: 'status', timeoutMs: 3_000 },
        source: { file: 'config/mcp_servers.yaml', line: 13, column: 3 },
      },
      {
        ...defaults,
        name: 'code-search',
        args: ['-y', '@modelcontextprotocol/server-code-search', '--index-path', '.code-index'],
        package: '@modelcontextprotocol/server-code-search',
        autoStart: false,
        healthCheck: { method: 'ping', timeoutMs: 2_000 },
        source: { file: 'config/mcp_servers.yaml', line: 22, column: 3 },
      },
    ]);
  });

  test('give the settings in milliseconds', () => {
    expect(config?.settings).toMatchObject({
      autoStartDefault: false,
      healthCheckIntervalMs: 30_000,
      startupTimeoutMs: 10_000,
      shutdownTimeoutMs: 5_000,
      logDirectory: 'logs/mcp_servers',
    });
    expect(config?.files).toEqual(['config/mcp_servers.yaml', 'config/tools.yaml']);
  });
});

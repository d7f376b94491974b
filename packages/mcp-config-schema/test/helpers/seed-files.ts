/** `config/tools.yaml` of the original format. */
export const seedTools = `# config/tools.yaml
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
`;

/** `config/mcp_servers.yaml` of the original format. */
export const seedServers = `# config/mcp_servers.yaml (NEW file)
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
`;

import { describe, expect, test } from 'vitest';
import { checkConfig, parseConfig } from '../src/index.js';
import { seedServers, seedTools } from './helpers/seed-files.js';

const tools = { file: 'config/tools.yaml', text: seedTools };

const servers = { file: 'config/mcp_servers.yaml', text: seedServers };

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
      {
        role: 'implementation',
        allowedTools: ['filesystem.write', 'git.commit', 'bash'],
        tool: 'claude-code',
        source: { file: 'config/tools.yaml', line: 16, column: 7 },
      },
      {
        role: 'review',
        allowedTools: ['filesystem.read', 'git.log', 'grep'],
        tool: 'claude-code',
        source: { file: 'config/tools.yaml', line: 18, column: 7 },
      },
    ]);
  });
});

describe('declarations with their servers', () => {
  const { config, issues } = checkConfig([servers, tools]);

  test('have no issues: optional servers may be missing', () => {
    expect(issues).toEqual([]);
  });

  test('have every server with its defaults', () => {
    const defaults = {
      transport: 'stdio',
      command: 'npx',
      env: {},
      tags: [],
      protocol: 'auto',
      eager: false,
      disabled: false,
      trusted: false,
      limits: {
        startupTimeoutMs: 10_000,
        shutdownTimeoutMs: 5_000,
        firstRunTimeoutMs: 300_000,
        maxConcurrentCalls: 16,
        maxQueuedCalls: 64,
        queueTimeoutMs: 30_000,
        maxTools: 10_000,
      },
      restart: { onFailure: true, maxAttempts: 3 },
      connections: 'shared',
      priority: 0,
      deniedTools: [],
      layer: 'explicit',
      logDirectory: 'logs/mcp_servers',
      logDirectorySource: { file: 'config/mcp_servers.yaml', line: 36, column: 3 },
    };
    expect(config?.servers).toEqual([
      {
        ...defaults,
        name: 'filesystem',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/allowed/path'],
        package: '@modelcontextprotocol/server-filesystem',
        autoStart: true,
        health: {
          intervalMs: 30_000,
          method: 'tool_call',
          tool: 'list_directory',
          args: { path: '/tmp' },
          timeoutMs: 5_000,
        },
        source: { file: 'config/mcp_servers.yaml', line: 3, column: 3 },
      },
      {
        ...defaults,
        name: 'git',
        args: ['-y', '@modelcontextprotocol/server-git'],
        package: '@modelcontextprotocol/server-git',
        autoStart: true,
        health: { intervalMs: 30_000, method: 'tool_call', tool: 'status', timeoutMs: 3_000 },
        source: { file: 'config/mcp_servers.yaml', line: 13, column: 3 },
      },
      {
        ...defaults,
        name: 'code-search',
        args: ['-y', '@modelcontextprotocol/server-code-search', '--index-path', '.code-index'],
        package: '@modelcontextprotocol/server-code-search',
        autoStart: false,
        health: { intervalMs: 30_000, method: 'ping', timeoutMs: 2_000 },
        source: { file: 'config/mcp_servers.yaml', line: 22, column: 3 },
      },
    ]);
  });

  test('have the settings in milliseconds', () => {
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

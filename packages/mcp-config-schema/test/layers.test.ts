import { describe, expect, test } from 'vitest';
import { checkConfig, parseConfig } from '../src/index.js';

const user = {
  file: 'user.yaml',
  layer: 'user',
  text: `mcp_servers:
  git: { command: user-git, env: { A: b }, tags: [mine] }
  web: { command: user-web }
mcp_settings:
  startup_timeout_seconds: 60
  shutdown_timeout_seconds: 30
`,
} as const;

const project = {
  file: '.mcp.json',
  layer: 'project',
  text: '{\n  "mcpServers": {\n    "git": { "command": "project-git", "args": ["-v"] }\n  }\n}\n',
} as const;

const explicit = {
  file: 'given.yaml',
  text: 'mcp_servers: { files: { command: given-files } }\nmcp_settings: { startup_timeout_seconds: 5 }\n',
} as const;

describe('two layers', () => {
  test('the stronger one replaces a whole server, in any order of the inputs', () => {
    for (const inputs of [
      [user, project, explicit],
      [explicit, project, user],
    ]) {
      const { servers } = parseConfig(inputs);
      expect(servers).toMatchObject([
        { name: 'files', command: 'given-files', layer: 'explicit' },
        { name: 'git', command: 'project-git', args: ['-v'], env: {}, tags: [], layer: 'project' },
        { name: 'web', command: 'user-web', layer: 'user' },
      ]);
    }
  });

  test('each setting comes from the strongest layer that has it', () => {
    expect(parseConfig([user, project, explicit]).settings).toMatchObject({
      startupTimeoutMs: 5_000,
      shutdownTimeoutMs: 30_000,
      healthCheckIntervalMs: 30_000,
    });
  });

  test('a setting applies to servers of its own and stronger layers, so a project changes nothing for the user', () => {
    const entry = (layer: 'project' | 'user', settings: string) => ({
      file: `${layer}.yaml`,
      layer,
      text: `mcp_servers: { ${layer}: { command: x } }\nmcp_settings: { ${settings} }\n`,
    });
    const [ours, mine] = parseConfig([
      entry('user', 'startup_timeout_seconds: 60, log_directory: mine'),
      entry(
        'project',
        'auto_start_default: true, health_check_interval_seconds: 10, shutdown_timeout_seconds: 30, log_directory: ours',
      ),
    ]).servers;
    expect(ours).toMatchObject({
      ...{ name: 'project', autoStart: true, health: { intervalMs: 10_000 } },
      limits: { startupTimeoutMs: 60_000, shutdownTimeoutMs: 30_000 },
      ...{ logDirectory: 'ours', logDirectorySource: { file: 'project.yaml', line: 2 } },
    });
    expect(mine).toMatchObject({
      ...{ name: 'user', autoStart: false, health: { intervalMs: 30_000 } },
      limits: { startupTimeoutMs: 60_000, shutdownTimeoutMs: 5_000 },
      ...{ logDirectory: 'mine', logDirectorySource: { file: 'user.yaml' } },
    });
  });

  test('a server has no log directory unless one is set', () => {
    const [server] = parseConfig({ text: 'mcp_servers: { a: { command: x } }' }).servers;
    expect(server).not.toHaveProperty('logDirectory');
  });

  test('an overridden server is checked but not resolved', () => {
    const wrong = { ...user, text: 'mcp_servers:\n  git: { comand: x }\n' };
    expect(checkConfig([project, wrong]).issues).toMatchObject([
      { code: 'replaced-server' },
      { code: 'unknown-key', file: 'user.yaml' },
    ]);
    const unset = { ...user, text: `mcp_servers:\n  git: { command: "\${NOT_SET}" }\n` };
    expect(checkConfig([project, unset]).issues).toMatchObject([{ code: 'replaced-server' }]);
  });

  test('an invalid entry still overrides a valid one', () => {
    const wrong = { ...project, text: '{ "mcpServers": { "git": { "command": 5 } } }' };
    const { config, partial } = checkConfig([wrong, user]);
    expect(config).toBeUndefined();
    expect(partial?.servers.map(({ name }) => name)).toEqual(['web']);
  });

  test('tools come from the stronger layer, and role restrictions of both apply', () => {
    const tools = (layer: 'project' | 'user', rest: string) => ({
      file: `${layer}.yaml`,
      layer,
      text: `tools:\n  code:\n    ${rest}\n    role_restrictions: { review: { allowed_tools: [${layer}_tool] } }\n`,
    });
    const config = parseConfig([tools('user', 'binary: mine'), tools('project', 'binary: ours')]);
    expect(config.tools).toMatchObject([{ name: 'code', binary: 'ours' }]);
    expect(config.roles).toMatchObject([
      {
        role: 'review',
        allowedTools: ['project_tool'],
        source: { file: 'project.yaml', line: 4, column: 26 },
      },
      { role: 'review', allowedTools: ['user_tool'], source: { file: 'user.yaml' } },
    ]);
  });

  describe('roles of a project next to roles of the user', () => {
    const tools = (layer: 'explicit' | 'project' | 'user', restrictions: string) => ({
      file: `${layer}.yaml`,
      layer,
      text: `tools:\n  ${layer}:\n    role_restrictions: { ${restrictions} }\n`,
    });
    const mine = tools('user', 'review: { allowed_tools: [web] }');
    const found = (...inputs: readonly ReturnType<typeof tools>[]) => {
      const { config, issues } = checkConfig(inputs);
      const roles = config?.roles.map(({ role, source, isDefault, inherits }) => [
        role,
        source.file,
        isDefault,
        inherits,
      ]);
      return { roles, issues: issues.map(({ code, severity, file }) => [code, severity, file]) };
    };
    const warning = ['project-role', 'warning', 'project.yaml'];

    test('define no other role and no default', () => {
      const theirs = tools(
        'project',
        'review: { allowed_tools: [x], default: true }, employee: { allowed_tools: [web] }',
      );
      expect(found(mine, theirs)).toEqual({
        roles: [
          ['review', 'project.yaml', undefined, undefined],
          ['review', 'user.yaml', undefined, undefined],
        ],
        issues: [warning, warning],
      });
    });

    test('keep the default of the user', () => {
      const own = tools('user', 'review: { allowed_tools: [web], default: true }');
      const theirs = tools('project', 'employee: { allowed_tools: [web], default: true }');
      expect(found(own, theirs)).toEqual({ roles: [['review', 'user.yaml', true, undefined]], issues: [warning] });
    });

    test('neither inherit from nor are inherited by roles without effect', () => {
      const theirs = tools(
        'project',
        'review: { allowed_tools: [x], inherits: [wide] }, wide: { allowed_tools: [web] }',
      );
      expect(found(mine, theirs).roles).toContainEqual(['review', 'project.yaml', undefined, []]);
      const heir = tools('user', 'review: { allowed_tools: [], inherits: [wide] }');
      expect(found(heir, theirs).issues).toContainEqual(['unknown-role', 'error', 'user.yaml']);
    });

    test('have effect if the user has none, or if an explicit file defines them', () => {
      const theirs = tools('project', 'employee: { allowed_tools: [web], default: true }');
      expect(found(theirs, tools('user', ''))).toEqual({
        roles: [['employee', 'project.yaml', true, undefined]],
        issues: [],
      });
      const named = tools('explicit', 'employee: { allowed_tools: [web] }');
      expect(found(mine, theirs, named)).toEqual({
        roles: [
          ['employee', 'explicit.yaml', undefined, undefined],
          ['employee', 'project.yaml', undefined, undefined],
          ['review', 'user.yaml', undefined, undefined],
        ],
        issues: [warning],
      });
    });
  });

  test('a repeated name within one layer is an issue', () => {
    expect(checkConfig([project, { ...user, layer: 'project' }]).issues).toMatchObject([
      { code: 'duplicate-server', server: 'git', first: { file: '.mcp.json', line: 3 } },
    ]);
  });

  test('an unknown layer is a TypeError', () => {
    expect(() => checkConfig({ text: '', layer: 'system' as never })).toThrow(TypeError);
  });
});

describe('origins', () => {
  const { origins } = checkConfig([user, project, explicit]);

  test('have position, layer and overridden values of each value', () => {
    expect(origins.get('mcp_servers.git')).toEqual({
      file: '.mcp.json',
      line: 3,
      column: 5,
      layer: 'project',
      overrides: [{ file: 'user.yaml', line: 2, column: 3, layer: 'user' }],
    });
    expect(origins.get('mcp_servers.git.args[0]')).toMatchObject({ file: '.mcp.json', line: 3, column: 49 });
    expect(origins.get('mcp_servers.web.command')).toMatchObject({
      file: 'user.yaml',
      line: 3,
      column: 19,
      overrides: [],
    });
    expect(origins.get('mcp_settings.startup_timeout_seconds')).toMatchObject({
      file: 'given.yaml',
      layer: 'explicit',
      overrides: [{ file: 'user.yaml', line: 5 }],
    });
  });

  test('exclude defaults and overridden values', () => {
    expect(origins.has('mcp_servers.git.tags')).toBe(false);
    expect(origins.has('mcp_servers.git.env.A')).toBe(false);
    expect(origins.has('mcp_settings.log_directory')).toBe(false);
  });

  test('exist for a configuration with errors, too', () => {
    const check = checkConfig({ text: 'mcp_servers:\n  a: { comand: x }\ntools: {}\n' });
    expect(check.config).toBeUndefined();
    expect(check.origins.size).toBe(0);
    expect(
      checkConfig({ text: 'mcp_servers:\n  a: { comand: x }\n' }).origins.get('mcp_servers.a.comand'),
    ).toMatchObject({
      line: 2,
      column: 16,
    });
  });
});

describe('the partial configuration', () => {
  const text = `mcp_servers:
  good: { command: x }
  typo: { comand: x }
  both: { command: x, url: "https://x.example" }
  unset: { command: "\${NOT_SET}" }
`;

  test('has every other server', () => {
    const { config, partial } = checkConfig({ text });
    expect(config).toBeUndefined();
    expect(partial?.servers.map(({ name }) => name)).toEqual(['good']);
  });

  test('has everything without errors', () => {
    const { config, partial } = checkConfig({ text: 'mcp_servers: { a: { command: x } }' });
    expect(partial).toEqual(config);
  });

  test.each([
    ['a text cannot be read', { text: 'mcp_servers: [' }],
    ['a rule is wrong: without it more would be allowed', { text: 'tools: { t: { role_restrictions: { r: {} } } }' }],
    ['a setting is wrong', { text: 'mcp_servers: {}\nmcp_settings: { startup_timeout_seconds: 61 }' }],
    ['a text is nothing that is known', { text: 'servrs: {}' }],
  ])('is missing if %s', (_what, input) => {
    expect(checkConfig([{ text: 'mcp_servers: { a: { command: x } }', file: 'a' }, input]).partial).toBeUndefined();
  });
});

describe('a server of a project with the name of one of the user', () => {
  const user = {
    text: 'mcp_servers:\n  git: { command: user-git, env: { TOKEN: { secret_ref: "env:MINE" } } }\n',
    file: 'u.yaml',
    layer: 'user',
  } as const;
  const project = {
    text: '{ "mcpServers": { "git": { "command": "x" } } }',
    file: '.mcp.json',
    layer: 'project',
  } as const;

  test('is a warning with the position of the other one', () => {
    const { issues, config } = checkConfig([project, user]);
    expect(issues).toMatchObject([
      {
        code: 'replaced-server',
        severity: 'warning',
        server: 'git',
        file: '.mcp.json',
        replaced: { file: 'u.yaml', line: 2 },
      },
    ]);
    expect(config?.servers).toMatchObject([{ name: 'git', command: 'x', layer: 'project' }]);
  });

  test('inherits no variable, header or secret of it', () => {
    expect(parseConfig([project, user]).servers[0]).toMatchObject({ env: {}, secrets: undefined });
  });

  test('with another name is not', () => {
    expect(checkConfig([{ ...project, text: project.text.replace('git', 'other') }, user]).issues).toEqual([]);
  });
});

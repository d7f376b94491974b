import fc from 'fast-check';
import { parse } from 'plist';
import { describe, expect, test } from 'vitest';
import { daemonArguments, readDaemonArguments } from '../../src/daemon/process-messages.js';
import { launchdPlist, systemdUnit } from '../../src/daemon/service-file.js';

const service = {
  id: '0123456789abcdef',
  program: ['/usr/bin/node', '/opt/my tools/bin.js'],
  config: ['/srv/50% off/mcp_servers.yaml'],
  cwd: '/srv/50% off',
  home: '/home/me',
  path: '/usr/bin:/bin',
};

describe('service files', () => {
  test('a systemd unit quotes spaces and escapes what systemd expands', () => {
    const { path, text, next } = systemdUnit(service);
    expect(path).toBe('/home/me/.config/systemd/user/mcpx-0123456789abcdef.service');
    expect(text).toContain(
      'ExecStart=/usr/bin/node "/opt/my tools/bin.js" up --foreground --config "/srv/50%% off/mcp_servers.yaml"\n',
    );
    expect(text).toContain('WorkingDirectory=/srv/50%% off\n');
    expect(text).toContain('KillMode=mixed\n');
    expect(next.at(-1)).toBe('systemctl --user enable --now mcpx-0123456789abcdef.service');
  });

  test('a launchd plist escapes XML', () => {
    const { path, text } = launchdPlist({ ...service, cwd: '/a & <b>' });
    expect(path).toBe('/home/me/Library/LaunchAgents/io.github.mcpx.0123456789abcdef.plist');
    expect(text).toContain('<string>/a &amp; &lt;b&gt;</string>');
    expect(text).toContain('    <string>up</string>\n    <string>--foreground</string>\n');
  });

  test('a launchd plist is parsed as intended for any path', () => {
    const unit = fc.constantFrom('a', '/', ' ', '&', '<', '>', ']]>', '"', "'", '\n', '\r', '\t', '&amp;', 'é', '😀');
    const word = fc.string({ unit, minLength: 1 });
    fc.assert(
      fc.property(word, word, word, word, (program, config, cwd, path) => {
        const { text } = launchdPlist({ ...service, program: [program], config: [config], cwd, path });
        expect(parse(text)).toEqual({
          Label: 'io.github.mcpx.0123456789abcdef',
          ProgramArguments: [program, 'up', '--foreground', '--config', config],
          WorkingDirectory: cwd,
          EnvironmentVariables: { PATH: path },
          RunAtLoad: true,
          KeepAlive: { SuccessfulExit: false },
          ExitTimeOut: 30,
          ProcessType: 'Interactive',
        });
      }),
    );
  });

  test('no path adds a line to a unit', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const lines = (text: string) => text.split('\n').length;
        const usual = lines(systemdUnit(service).text);
        expect(lines(systemdUnit({ ...service, cwd: name, config: [name], path: name }).text)).toBe(usual);
      }),
    );
  });
});

describe('the arguments of a daemon', () => {
  const path = fc.string({ minLength: 1 }).map((text) => `/${text}`);

  test('are parsed as formatted', () => {
    const all = fc.record({
      id: fc.constant('0123456789abcdef'),
      cwd: path,
      config: fc.option(fc.array(path, { minLength: 1 }), { nil: undefined }),
      stateDirectory: fc.option(path, { nil: undefined }),
      idleExitMs: fc.option(fc.integer({ min: 1 }), { nil: undefined }),
      metrics: fc.option(
        fc.record({ port: fc.nat(65_535), tokenFile: fc.string({ minLength: 1 }).map((name) => `/${name}`) }),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(all, (words) => {
        expect(readDaemonArguments(daemonArguments(words))).toEqual(words);
      }),
    );
  });

  test.each([
    [['--cwd', '/']],
    [['--id', '../../etc', '--cwd', '/']],
    [['--id', '0123456789abcdef']],
    [['--id', '0123456789abcdef', '--cwd', '/', '--idle-exit', 'soon']],
    [['--what']],
  ])('that are %j are refused', (argv) => {
    expect(() => readDaemonArguments(argv)).toThrow(TypeError);
  });
});

import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadConfig } from '@x/mcp-config-schema/load';
import { describe, expect, test } from 'vitest';
import { configIdentity } from '../../src/daemon/locate-daemon.js';
import { project } from '../helpers/project.js';

const text = 'mcp_servers: {}\n';

describe('the daemon of a command', () => {
  test('is the same in every folder of a project and for every link to it', async () => {
    await using here = await project({ 'a/mcp_servers.yaml': text, 'b/mcp_servers.yaml': text });
    const root = join(here.folder, 'a');
    await mkdir(join(root, 'src/deep'), { recursive: true });
    await symlink(root, join(here.folder, 'link'));
    const id = configIdentity({ cwd: root });
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(configIdentity({ cwd: join(root, 'src/deep') })).toBe(id);
    expect(configIdentity({ cwd: join(here.folder, 'link') })).toBe(id);
    expect(configIdentity({ cwd: join(here.folder, 'b') })).not.toBe(id);
  });

  test('depends on named files alone', async () => {
    await using here = await project({ 'a/one.yaml': text, 'a/two.yaml': text });
    const named = configIdentity({ cwd: here.folder, config: ['a/one.yaml'] });
    expect(configIdentity({ cwd: join(here.folder, 'a'), config: ['one.yaml'] })).toBe(named);
    expect(configIdentity({ cwd: here.folder, config: ['a/two.yaml'] })).not.toBe(named);
    expect(configIdentity({ cwd: here.folder, config: ['a/one.yaml', 'a/two.yaml'] })).not.toBe(named);
  });

  test('is one per user outside of projects', async () => {
    await using here = await project({ 'one/x': '', 'two/x': '' });
    const home = here.folder; // nothing above it counts
    expect(configIdentity({ cwd: join(home, 'one'), home })).toBe(configIdentity({ cwd: join(home, 'two'), home }));
  });

  test.each(['mcp_servers.yaml', 'mcp_servers.yml', 'config/mcp_servers.yaml', 'config/mcp_servers.yml', '.mcp.json'])(
    'depends on %s, as loading a config does',
    async (name) => {
      const content = name.endsWith('.json') ? '{"mcpServers": {}}' : text;
      await using here = await project({ [`outer/${name}`]: content, 'outer/inner/x': '' });
      const outer = join(here.folder, 'outer');
      const inner = join(outer, 'inner');
      const [file = ''] = (await loadConfig({ cwd: inner, env: {}, layers: ['project'] })).files;
      expect(dirname(file).startsWith(outer)).toBe(true);
      expect(configIdentity({ cwd: inner, home: here.folder })).toBe(configIdentity({ cwd: outer }));
      expect(configIdentity({ cwd: inner, home: inner })).not.toBe(configIdentity({ cwd: outer }));
    },
  );
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { describe, expect, test } from 'vitest';
import type { HostStdioServer } from '../../src/index.js';
import { moment, sync, typesOf } from '../helpers/in-memory-sync.js';
import { written } from '../helpers/round-trip.js';

function server(fields: Partial<HostStdioServer>): HostStdioServer {
  return { name: 's', transport: 'stdio', command: 'node', ...fields };
}

describe('writes a relative path, with a warning that the host chooses the folder', () => {
  test.each([
    [{ command: './server' }, 'command is a relative path'],
    [{ command: '../bin/server' }, 'command is a relative path'],
    [{ command: '.\\server.exe' }, 'command is a relative path'],
    [{ command: 'bin/server' }, 'command is a relative path'],
    [{ args: ['./server.js'] }, 'args[0] is a relative path'],
    [{ args: ['-y', '..', '--root', '.'] }, 'args[1], args[3] are relative paths'],
    [{ args: ['--config=../settings.json'] }, 'args[0] is a relative path'],
    [{ cwd: 'work' }, 'cwd is a relative path'],
    [{ cwd: '.', args: ['./server.js'] }, 'cwd is a relative path'],
  ])('%j', (fields, said) => {
    const { entry, issues } = written('vscode-user', server(fields));
    expect(entry).toMatchObject(fields);
    expect(issues).toMatchObject([
      { code: 'command-not-supported', severity: 'warning', host: 'vscode-user', server: 's' },
    ]);
    expect(issues[0]?.message).toContain(said);
    expect(issues[0]?.hint).toContain('{{root}}');
  });
});

test.each([
  { command: 'node', args: ['server.js', '-y', '@scope/package', 'owner/repository', '...', '.env'] },
  { command: '/opt/server', args: ['/data', 'C:\\data'] },
  { command: 'C:\\tools\\server.exe' },
  { command: '${HOME}/bin/server', args: ['${HOME}/data', '~/data'] },
  { command: '~/bin/server' },
  { command: './server', args: ['./data'], cwd: '/srv/app' },
  { cwd: '${HOME}/work' },
])('finds no relative path in %j', (fields) => {
  const { issues } = written('vscode-user', server(fields));
  expect(issues.filter(({ code }) => code === 'command-not-supported')).toEqual([]);
});

test('does not warn in project files, whose servers start in the project', () => {
  expect(written('vscode-project', server({ args: ['./server.js'] })).issues).toEqual([]);
});

test('reports an unsupported working directory only once', () => {
  const { issues } = written('cursor-user', server({ cwd: 'work' }));
  expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'error' }]);
});

test('the plan of a sync has the warning, without texts of the server', () => {
  const { plan } = sync(moment('cursor-user'), [server({ args: ['./planted-value'] })]);
  expect(typesOf(plan)).toEqual(['add s']);
  expect(plan.issues).toMatchObject([{ code: 'command-not-supported', severity: 'warning', server: 's' }]);
  expect(JSON.stringify(plan.issues)).not.toContain('planted-value');
});

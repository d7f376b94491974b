import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hintForUnusable } from '../../../src/process/command/command-hint.js';
import { type ClassifyFile, candidates, findCommand } from '../../../src/process/command/find-command.js';

const linux = { platform: 'linux', directory: '/work', path: '/usr/bin:/bin' } as const;
const windows = { platform: 'win32', directory: 'C:\\work', path: 'C:\\Windows;"C:\\Program Files\\nodejs"' } as const;

function diskWith(files: Readonly<Record<string, 'executable' | 'file'>>): ClassifyFile {
  return (file) => files[file] ?? 'nothing';
}

test('the first executable file on PATH is found', () => {
  const disk = diskWith({ '/usr/bin/tool': 'file', '/bin/tool': 'executable' });
  expect(findCommand({ ...linux, command: 'tool' }, disk)).toEqual({ status: 'found', file: '/bin/tool' });
});

test('reports a file without permission if there is no other', () => {
  const disk = diskWith({ '/bin/tool': 'file' });
  expect(findCommand({ ...linux, command: 'tool' }, disk)).toEqual({
    status: 'command-not-executable',
    file: '/bin/tool',
  });
});

test('a name that is nowhere is not found, nor is one that is empty', () => {
  expect(findCommand({ ...linux, command: 'tool' }, diskWith({}))).toEqual({ status: 'command-not-found' });
  expect(findCommand({ ...linux, command: '' }, () => 'executable')).toEqual({ status: 'command-not-found' });
});

test('a path is never searched on PATH, and is relative to the directory of the server', () => {
  expect(candidates({ ...linux, command: './bin/tool' })).toEqual(['/work/bin/tool']);
  expect(candidates({ ...linux, command: '/opt/tool' })).toEqual(['/opt/tool']);
  expect(candidates({ ...windows, command: 'bin\\tool.exe' })[0]).toBe('C:\\work\\bin\\tool.exe');
});

test('an empty entry of PATH is the directory of the server', () => {
  expect(candidates({ ...linux, command: 'tool', path: '/bin::' })).toEqual(['/bin/tool', '/work/tool', '/work/tool']);
});

test('on Windows adds extensions, removes quotes of PATH and skips the current directory', () => {
  expect(candidates({ ...windows, command: 'npx', pathExtensions: '.EXE;.CMD' })).toEqual([
    'C:\\Windows\\npx.exe',
    'C:\\Windows\\npx.cmd',
    'C:\\Program Files\\nodejs\\npx.exe',
    'C:\\Program Files\\nodejs\\npx.cmd',
  ]);
  expect(candidates({ ...windows, command: 'npx.CMD', path: 'D:\\bin' })[0]).toBe('D:\\bin\\npx.CMD');
});

test.each(['', '.', '.\\bin', 'bin', 'C:bin', '\\bin', '"."', ' . '])(
  'on Windows the entry %j of PATH is left out',
  (entry) => {
    const query = { ...windows, command: 'node', pathExtensions: '.EXE' };
    expect(candidates({ ...query, path: `${entry};C:\\Windows;${entry}` })).toEqual(['C:\\Windows\\node.exe']);
  },
);

test('on Windows finds only files that start without another program', () => {
  const pathExtensions = '.COM;.EXE;.BAT;.CMD;.VBS;.JS;.MSC';
  const names = candidates({ ...windows, command: 'x', path: 'C:\\Windows', pathExtensions });
  expect(names).toEqual(['com', 'exe', 'bat', 'cmd'].map((extension) => `C:\\Windows\\x.${extension}`));
});

test.each([
  ['.\\server.py', 'C:\\work\\server.py'],
  ['server.py', 'C:\\Windows\\server.py'],
])('on Windows reports for %s a file that only an interpreter starts', (command, file) => {
  const disk = { [file]: 'executable' } as const;
  expect(findCommand({ ...windows, command }, diskWith(disk))).toEqual({ status: 'command-not-executable', file });
  const program = {
    ...disk,
    'C:\\Windows\\server.py.exe': 'executable',
    'C:\\work\\server.py.exe': 'executable',
  } as const;
  expect(findCommand({ ...windows, command }, diskWith(program))).toMatchObject({ status: 'found' });
});

test.each<[file: string, platform: NodeJS.Platform, hint: string]>([
  ['server.py', 'linux', 'Make it executable (chmod +x), or set "command" to "python3" and put the file into "args".'],
  ['server', 'linux', 'Make it executable (chmod +x), or start it with its interpreter.'],
  [
    'server.py',
    'win32',
    'Windows starts only .exe, .com, .cmd and .bat files: set "command" to "python" and put the file into "args".',
  ],
  [
    'server.js',
    'win32',
    'Windows starts only .exe, .com, .cmd and .bat files: set "command" to "node" and put the file into "args".',
  ],
  [
    'server',
    'win32',
    'Windows starts only .exe, .com, .cmd and .bat files: set "command" to its interpreter and put the file into "args".',
  ],
])('how %s can be started on %s', (file, platform, hint) => {
  expect(hintForUnusable(file, platform)).toBe(hint);
});

test('never throws for any query', () => {
  const platform = fc.constantFrom<NodeJS.Platform>('linux', 'darwin', 'win32');
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), platform, (command, path, directory, os) => {
      const query = { command, path, directory, platform: os };
      expect(findCommand(query, () => 'nothing')).toEqual({ status: 'command-not-found' });
    }),
  );
});

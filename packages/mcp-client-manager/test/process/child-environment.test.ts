import fc from 'fast-check';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../src/process/child-environment.js';

const posixNames = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];
const windowsNames = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];
const marks = { MCP_CLIENT_MANAGER_OWNER: '1-a', MCP_CLIENT_MANAGER_LAUNCH: 'b' };
const everything = Object.fromEntries(
  [...posixNames, ...windowsNames, 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'NODE_OPTIONS', 'LD_PRELOAD'].map(
    (name) => [name, `value of ${name}`],
  ),
);

test.each([
  ['linux', posixNames],
  ['darwin', posixNames],
  ['win32', windowsNames],
] as const)('on %s exactly these names are inherited', (platform, names) => {
  const environment = childEnvironment({}, { inherited: everything, platform, marks });
  expect(environment).toEqual({
    ...Object.fromEntries(names.map((name) => [name, `value of ${name}`])),
    ...marks,
  });
});

test('no variable outside the allow-list reaches a server', () => {
  const anyEnvironment = fc.dictionary(fc.string({ minLength: 1 }), fc.string());
  fc.assert(
    fc.property(anyEnvironment, anyEnvironment, (inherited, declared) => {
      const names = Object.keys(childEnvironment(declared, { inherited, platform: 'linux', marks }));
      const allowed = new Set([...posixNames, ...Object.keys(declared), ...Object.keys(marks)]);
      for (const name of names) expect(allowed).toContain(name);
    }),
  );
});

test('variables of the spec win, even if empty', () => {
  const inherited = { PATH: '/bin', HOME: '/home/a' };
  const declared = { PATH: '/opt/bin', HOME: '', TOKEN: 'secret' };
  expect(childEnvironment(declared, { inherited, platform: 'linux', marks })).toEqual({
    PATH: '/opt/bin',
    HOME: '',
    TOKEN: 'secret',
    ...marks,
  });
});

test('on Windows a name is the same in any case, and the declared one wins', () => {
  const options = {
    inherited: { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' },
    platform: 'win32',
    marks,
  } as const;
  expect(childEnvironment({ path: 'C:\\Tools' }, options)).toEqual({
    SYSTEMROOT: 'C:\\Windows',
    path: 'C:\\Tools',
    ...marks,
  });
});

test('a shell function that bash has exported is not inherited', () => {
  const inherited = { PATH: '/bin', TERM: '() { :; }; echo owned' };
  expect(childEnvironment({}, { inherited, platform: 'linux', marks })).toEqual({
    PATH: '/bin',
    ...marks,
  });
});

test('our own markers cannot be declared away', () => {
  const declared = { MCP_CLIENT_MANAGER_OWNER: 'somebody else', MCP_CLIENT_MANAGER_LAUNCH: '' };
  expect(childEnvironment(declared, { inherited: {}, platform: 'linux', marks })).toEqual({
    ...marks,
  });
});

test('the inherited environment is left as it was', () => {
  const inherited = Object.freeze({ PATH: '/bin' });
  childEnvironment({ PATH: '/opt/bin' }, { inherited, platform: 'linux', marks });
  expect(inherited).toEqual({ PATH: '/bin' });
});

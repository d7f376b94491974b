import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type WindowsSystem, windowsLaunch } from '../../src/processes/windows-launch.js';

const commandInterpreter = 'C:\\Windows\\System32\\cmd.exe';
const node = 'C:\\Program Files\\nodejs\\node.exe';

function hostWith(...files: readonly string[]): WindowsSystem {
  return { commandInterpreter, node, isFile: (path) => files.includes(path) };
}

/** What `cmd.exe` makes of a line before it runs it. Throws where a character would have a meaning of its own. */
function readByCmd(line: string): string {
  let isQuoted = false;
  for (const character of line) {
    if (character === '%') throw new Error('a variable would be expanded');
    if (/[\r\n\0]/.test(character)) throw new Error('the line would end');
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[&|<>()^@]/.test(character)) throw new Error(`${character} would be obeyed`);
  }
  if (isQuoted) throw new Error('a quotation has no end');
  return line;
}

/** Arguments as a program of Microsoft's C library reads them from its command line. */
function argumentsIn(line: string): string[] {
  const found: string[] = [];
  let current: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (!isQuoted && /[ \t]/.test(character)) {
      if (current !== undefined) found.push(current);
      current = undefined;
      continue;
    }
    current ??= '';
    const [backslashes = ''] = /^\\*/.exec(line.slice(at)) ?? [];
    if (backslashes !== '') {
      at += backslashes.length - 1;
      const isBeforeQuote = line[at + 1] === '"';
      current += isBeforeQuote ? '\\'.repeat(Math.floor(backslashes.length / 2)) : backslashes;
      if (isBeforeQuote && backslashes.length % 2 === 1) {
        current += '"';
        at += 1;
      }
    } else if (character === '"') isQuoted = !isQuoted;
    else current += character;
  }
  return current === undefined ? found : [...found, current];
}

/** What a program gets that a batch file runs with `"program" %*`. */
function passedOn(args: readonly string[], file: string): string[] {
  expect(args.slice(0, -1)).toEqual(['/e:on', '/v:off', '/d', '/s', '/c']);
  const line = args.at(-1) ?? '';
  expect(line).toMatch(/^".*"$/s);
  const inner = readByCmd(line.slice(1, -1)); // /s takes the outer quotes off
  const start = `"${file}"`;
  expect(inner.startsWith(start)).toBe(true);
  const [, ...rest] = argumentsIn(readByCmd(`"C:\\program.exe"${inner.slice(start.length)}`));
  return rest;
}

describe('a batch file', () => {
  const file = 'C:\\Tools (x86) & more\\server.cmd';

  test('gets every argument as it is, or is not run', () => {
    const character = fc.oneof(
      fc.constantFrom(...'"%\\^&|<>()!@ \t\r\n\0=;,~*?\'`$'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const anyArgument = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''));
    let passed = 0;
    fc.assert(
      fc.property(fc.array(anyArgument, { maxLength: 5 }), (args) => {
        const launch = windowsLaunch({ file, args }, hostWith());
        if ('refusal' in launch) {
          expect(args.join('')).toMatch(/["%\p{Cc}]/u);
          return;
        }
        passed += 1;
        expect(launch).toMatchObject({ file: commandInterpreter, isVerbatim: true });
        expect(passedOn(launch.args, file)).toEqual(args);
      }),
      { numRuns: 3_000 },
    );
    expect(passed).toBeGreaterThan(300);
  });

  test.each(['"', '%PATH%', '" & calc & "', 'a\r\ncalc', 'a\ncalc', '\0', '"&calc', '%CMDCMDLINE:~-1%&calc'])(
    'is not run with %j among its arguments, and the error omits the text',
    (argument) => {
      const launch = windowsLaunch({ file, args: ['fine', argument] }, hostWith());
      expect(launch).toEqual({ refusal: expect.stringContaining('argument 2 cannot be passed to a batch file') });
      expect(JSON.stringify(launch)).not.toContain('calc');
    },
  );

  test.each(['a & calc', '| calc', '> out', '^', '(a)', 'a\\', 'a b\\\\', '', '!PATH!', "'"])('gets %j', (argument) => {
    const launch = windowsLaunch({ file, args: [argument, 'next'] }, hostWith());
    expect('args' in launch && passedOn(launch.args, file)).toEqual([argument, 'next']);
  });

  test('is not run by a path or with a length that cmd.exe does not take', () => {
    expect(windowsLaunch({ file: 'C:\\%TEMP%\\x.cmd', args: [] }, hostWith())).toHaveProperty('refusal');
    expect(windowsLaunch({ file, args: ['x'.repeat(8_200)] }, hostWith())).toHaveProperty('refusal');
  });
});

test.each(['npx', 'npm'])('%s is run by Node without cmd.exe, with any argument', (name) => {
  const file = `C:\\Program Files\\nodejs\\${name}.cmd`;
  const script = `C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\${name}-cli.js`;
  const args = ['-y', 'server', '--key=" & calc & %PATH%'];
  expect(windowsLaunch({ file, args }, hostWith(script, node))).toEqual({
    file: node,
    args: [script, ...args],
    isVerbatim: false,
  });
  const elsewhere = { ...hostWith(script), node: 'D:\\node.exe' };
  expect(windowsLaunch({ file, args }, elsewhere)).toMatchObject({ file: 'D:\\node.exe' });
  expect(windowsLaunch({ file, args }, hostWith())).toHaveProperty('refusal');
});

test('a program is started as it is, and nothing else is', () => {
  const args = ['" & calc', '%PATH%'];
  for (const file of ['C:\\a.exe', 'C:\\a.EXE', 'C:\\a.com'])
    expect(windowsLaunch({ file, args }, hostWith())).toEqual({ file, args, isVerbatim: false });
  for (const file of ['C:\\a.js', 'C:\\a.vbs', 'C:\\a', 'C:\\a.cmd.txt', 'C:\\a.exe.'])
    expect(windowsLaunch({ file, args: [] }, hostWith())).toHaveProperty('refusal');
});

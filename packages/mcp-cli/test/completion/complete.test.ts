import { Argument, Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../src/command.js';
import { commandLine } from '../../src/command-line/program.js';
import { type Completion, complete } from '../../src/completion/complete.js';

const program = new Command('mcpx');
program.command('start').argument('<server...>').option('-c, --config <path>', 'config').option('--json', 'as JSON');
program.command('call').argument('<tool>').argument('[pairs...]').option('--role <role>').option('--timeout <seconds>');
program
  .command('sync')
  .argument('[host...]')
  .addOption(new Option('--scope <scope>').choices(['user', 'project']))
  .option('--extension <folder>');
program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
program.command('search').argument('<query>').option('--server <server>');
program.command('forget').argument('<lost-node>').argument('[nats-url...]');
program.command('__hidden', { hidden: true });
const daemon = program.command('daemon').description('look after it');
daemon.command('status');
daemon.command('logs').option('-f, --follow', 'go on');

function after(...words: string[]): Completion {
  return complete(program, words);
}

function values(...words: string[]): readonly string[] {
  return after(...words).candidates.map(({ value }) => value);
}

describe('commands', () => {
  test('are offered by prefix, without hidden ones', () => {
    expect(values('')).toEqual(['start', 'call', 'sync', 'completion', 'search', 'forget', 'daemon', 'help']);
    expect(values('c')).toEqual(['call', 'completion']);
    expect(values('zzz')).toEqual([]);
    expect(values()).toHaveLength(8);
  });

  test('have commands of their own', () => {
    expect(values('daemon', '')).toEqual(['status', 'logs', 'help']);
    expect(values('daemon', 'logs', '--')).toEqual(['--follow', '--help']);
  });

  test('that do not exist have no candidates', () => {
    expect(after('nosuch', '')).toMatchObject({ candidates: [], files: false });
  });
});

describe('options', () => {
  test('are offered after a dash, unless what follows -- is an argument', () => {
    expect(values('start', '--')).toEqual(['--config', '--json', '--help']);
    expect(values('start', '--j')).toEqual(['--json']);
    expect(after('start', '--', '--j')).toMatchObject({ candidates: [], names: 'servers' });
  });

  test.each<[words: string[], expected: Partial<Completion>]>([
    [['call', '--role', ''], { names: 'roles', typed: '', before: '' }],
    [['call', '--role', 'rev'], { names: 'roles', typed: 'rev', before: '' }],
    [['call', '--role=rev'], { names: 'roles', typed: 'rev', before: '--role=' }],
    [['call', '--role', '=', 'rev'], { names: 'roles', typed: 'rev', before: '' }],
    [['call', '--role', '='], { names: 'roles', typed: '', before: '' }],
    [['start', '--config', ''], { files: true, names: undefined }],
    [['search', 'x', '--server', ''], { names: 'all-servers' }],
    [['start', '-c', 'x'], { files: true }],
    [['start', '-cx'], { files: true, typed: 'x', before: '-c' }],
    [['call', '--timeout', ''], { candidates: [], files: false, names: undefined }],
    [['sync', '--extension', 'ext'], { files: true, typed: 'ext' }],
    [['sync', '--scope', 'p'], { candidates: [{ value: 'project' }] }],
    [['sync', '--scope='], { candidates: [{ value: 'user' }, { value: 'project' }], before: '--scope=' }],
  ])('have values: %j', (words, expected) => {
    expect(after(...words)).toMatchObject(expected);
  });

  test('before the command belong to the command', () => {
    expect(values('--config', 'x.yaml', '--json', 'start', '--c')).toEqual(['--config']);
    expect(after('--config', 'x.yaml', 'start', '')).toMatchObject({ names: 'servers', config: ['x.yaml'] });
  });

  test('before the command do not hide the commands', () => {
    expect(values('--config', 'x.yaml', 'sta')).toEqual(['start']);
    expect(values('-cx.yaml', 'sta')).toEqual(['start']);
    expect(after('--config', '../x', 'sta')).toMatchObject({ config: ['../x'] });
    expect(after('-c../x', 'start', '')).toMatchObject({ names: 'servers', config: ['../x'] });
    for (const word of ["-c'my dir'", '-c"my dir"', '-cmy\\ dir', '"-cmy dir"']) {
      expect(after(word, 'start', '')).toMatchObject({ names: 'servers', config: ['my dir'] });
    }
    expect(after('--config', '=', '../x', 'sta')).toMatchObject({ config: ['../x'] });
    expect(values('-c', 'x.yaml', '--json', '')).toContain('call');
    expect(after('--config', '')).toMatchObject({ files: true });
    expect(values('--')).toEqual(['--config', '--json', '--help']);
    expect(values('daemon', '--json', '')).toEqual(['status', 'logs', 'help']);
  });

  test('of a config are passed on', () => {
    expect(after('start', '-c', 'a.yaml', '--config=b.yaml', '').config).toEqual(['a.yaml', 'b.yaml']);
    const whole = commandLine({ stdout: {}, stderr: {} } as unknown as Io, () => undefined);
    const options = ['--from', 'cursor', '--env-file=.env.test', '-c', 'a.yaml'];
    for (const words of [
      ['call', ...options],
      [...options, 'call'],
    ]) {
      expect(complete(whole, [...words, '']), words.join(' ')).toMatchObject({
        names: 'tools',
        config: ['host:cursor', 'env-file:.env.test', 'a.yaml'],
      });
    }
    expect(complete(whole, ['--from', 'c'])).toMatchObject({ names: 'hosts' });
    expect(complete(whole, ['--env-file', 'c'])).toMatchObject({ files: true });
  });
});

describe('arguments', () => {
  test.each<[words: string[], names: string | undefined]>([
    [['start', ''], 'servers'],
    [['start', 'one', ''], 'servers'],
    [['start', '--json', 'one', ''], 'servers'],
    [['call', 'mcp__'], 'tools'],
    [['call', 'tool', ''], undefined],
    [['call', '--role', 'x', ''], 'tools'],
    [['sync', ''], 'hosts'],
    [['forget', ''], 'lost-nodes'],
    [['forget', 'a', ''], undefined],
  ])('%j are %s', (words, names) => {
    expect(after(...words).names).toBe(names);
  });

  test('with choices are offered', () => {
    expect(values('completion', '')).toEqual(['bash', 'zsh']);
  });
});

describe('arguments of a tool', () => {
  test.each<[words: string[], expected: Readonly<Record<string, unknown>>]>([
    [[''], { arguments: { tool: 'a.b', given: [], key: undefined, isOption: false }, typed: '', before: '' }],
    [['pa'], { arguments: { given: [], key: undefined, isOption: false }, typed: 'pa', before: '' }],
    [['x=1', 'pa'], { arguments: { given: ['x=1'], key: undefined }, typed: 'pa' }],
    [['level=lo'], { arguments: { key: 'level' }, typed: 'lo', before: 'level=' }],
    [['level:lo'], { arguments: { key: 'level' }, typed: 'lo', before: 'level:' }],
    [['level:=lo'], { arguments: { key: 'level' }, typed: 'lo', before: 'level:=' }],
    [['--level=lo'], { arguments: { key: 'level' }, typed: 'lo', before: '--level=' }],
    [['level', '=', 'lo'], { arguments: { key: 'level' }, typed: 'lo', before: '' }],
    [['level', '='], { arguments: { key: 'level' }, typed: '', before: '' }],
    [['level=very\\ h'], { arguments: { key: 'level' }, typed: 'very h', before: 'level=' }],
    [['level="very h'], { arguments: { key: 'level' }, typed: 'very h', before: 'level=' }],
    [["'level=very h"], { arguments: { key: 'level' }, typed: 'very h', before: 'level=' }],
    [['level', '=', '"very h'], { arguments: { key: 'level' }, typed: 'very h', before: '' }],
    [['level', ':', 'lo'], { arguments: { key: 'level' }, typed: 'lo', before: '' }],
    [['level', ':=', '1'], { arguments: { key: 'level' }, typed: '1', before: '' }],
    [['--level', '=', 'lo'], { arguments: { key: 'level' }, typed: 'lo', before: '' }],
    [['a', '=', '1', 'b'], { arguments: { given: ['a=1'], key: undefined }, typed: 'b' }],
    [['--level', 'lo'], { arguments: { given: ['--level'], key: 'level' }, typed: 'lo', before: '' }],
    [['--lev'], { arguments: { key: undefined, isOption: true }, typed: '--lev', candidates: [] }],
    [['--ti'], { arguments: { isOption: true }, candidates: [{ value: '--timeout' }] }],
    [['--timeout', ''], { candidates: [], names: undefined }],
    [['--role', ''], { candidates: [], names: 'roles' }],
    [['--', '--ti'], { arguments: { isOption: true }, typed: '--ti', candidates: [] }],
  ])('%j', (words, expected) => {
    expect(after('call', 'a.b', ...words)).toMatchObject(expected);
    expect(after('--config', 'x', 'call', 'a.b', ...words)).toMatchObject({ ...expected, config: ['x'] });
  });

  test('belong to call alone', () => {
    expect(after('search', 'a.b', 'x').arguments).toBeUndefined();
  });
});

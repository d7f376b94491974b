import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { editEntries } from '../src/edit/edit-entries.js';
import { HostFileError, isHostFileError } from '../src/host-error.js';

test('an error has the problem, its position and a manual remedy', () => {
  const details = { line: 3, column: 5, manualSnippet: 'a: 1\n', cause: new Error('inner') };
  const error = new HostFileError('unsupported-shape', 'No', details);
  expect(error).toMatchObject({ name: 'HostFileError', code: 'unsupported-shape', message: 'No', ...details });
});

test('only the getter returns the manual snippet, which may contain secrets', () => {
  const error = new HostFileError('unsupported-shape', 'No', { file: '/a', manualSnippet: 'TOKEN: sentinel\n' });
  expect(error.manualSnippet).toBe('TOKEN: sentinel\n');
  const { stack, ...copy } = { ...error, stack: error.stack };
  const printed = [
    String(error),
    stack,
    JSON.stringify(error),
    JSON.stringify(copy),
    inspect(error, { depth: 9, showHidden: true }),
    inspect(new AggregateError([error]), { depth: 9 }),
    format('%s %o %O %j', error, error, error, error),
    inspect(structuredClone(error)),
  ];
  expect(printed.join('\n')).not.toContain('sentinel');
});

test('the error of a rejected edit contains no values', () => {
  const entry = { command: 'x', env: { TOKEN: 'sentinel' } };
  const refuse = () =>
    editEntries('[1]', { dialect: 'json', keyPath: ['servers'], collection: 'map' }, [
      { type: 'add', name: 'a', entry },
    ]);
  expect(refuse).toThrow(HostFileError);
  try {
    refuse();
  } catch (error) {
    expect(isHostFileError(error) && error.manualSnippet).toContain('sentinel');
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain('sentinel');
  }
});

test('recognizes an error of another installed copy, and no other error', () => {
  const foreign = Object.assign(new Error('No'), { [Symbol.for('mcp-host-sync.error')]: true });
  expect(isHostFileError(foreign)).toBe(true);
  expect(isHostFileError(new Error('No'))).toBe(false);
  expect(isHostFileError('No')).toBe(false);
});

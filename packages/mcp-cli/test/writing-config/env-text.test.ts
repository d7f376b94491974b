import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommandError } from '../../src/command.js';
import { envLine } from '../../src/writing-config/env-text.js';

test('a value is read as it was given, or refused', () => {
  const value = fc.string({ unit: fc.constantFrom('a', ' ', '#', '"', "'", '`', '\\\\', 'n', '$', '=', '\n', 'é') });
  fc.assert(
    fc.property(value, (given) => {
      let line: string;
      try {
        line = envLine('NAME', given);
      } catch (error) {
        expect(error).toBeInstanceOf(CommandError);
        return;
      }
      expect(parseEnv(`BEFORE=1\n${line}\nAFTER=2\n`)).toEqual({ BEFORE: '1', NAME: given, AFTER: '2' });
    }),
  );
});

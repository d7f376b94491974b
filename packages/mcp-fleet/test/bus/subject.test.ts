import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSubject, checkSubjectPattern, containsPattern, matchesSubject } from '../../src/bus/subject.js';

const token = fc.constantFrom('a', 'b', 'c=2E', '_-');
const subject = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join('.'));
const pattern = fc
  .tuple(fc.array(fc.oneof(token, fc.constant('*')), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([tokens, isOpen]) => [...tokens, ...(isOpen ? ['>'] : [])].join('.'));

test('a subject matches itself and nothing else', () => {
  fc.assert(fc.property(subject, subject, (one, other) => matchesSubject(one, other) === (one === other)));
});

test('what a contained pattern matches, the containing one matches', () => {
  fc.assert(
    fc.property(pattern, pattern, subject, (outer, inner, text) => {
      fc.pre(containsPattern(outer, inner) && matchesSubject(inner, text));
      expect(matchesSubject(outer, text)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('every pattern contains itself, and is contained in >', () => {
  fc.assert(fc.property(pattern, (one) => containsPattern(one, one) && containsPattern('>', one)));
});

test('> matches one or more tokens, and * one', () => {
  expect(['a.>', 'a.*', '*', '>'].map((one) => ['a', 'a.b', 'a.b.c'].map((text) => matchesSubject(one, text)))).toEqual(
    [
      [false, true, true],
      [false, true, false],
      [true, false, false],
      [true, true, true],
    ],
  );
});

test('generated subjects and patterns are accepted', () => {
  fc.assert(
    fc.property(subject, pattern, (one, other) => {
      checkSubject(one);
      checkSubjectPattern(other);
    }),
  );
});

test('any text is accepted, or rejected with a TypeError that shows only its beginning', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 1000 }), (text) => {
      try {
        checkSubject(text);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        expect((error as Error).message.length).toBeLessThan(1000);
      }
    }),
  );
});

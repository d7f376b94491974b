import fc from 'fast-check';

const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
const shortText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: half },
  { weight: 1, arbitrary: fc.constantFrom('', '\uFEFF', '\0', 'ä', '€', '😀', '"\\\n') },
);
/** Of up to some ten thousand characters; some begin with U+FEFF, and some have half a surrogate pair. */
const longText = fc
  .tuple(shortText, shortText, fc.integer({ min: 500, max: 3_000 }))
  .map(([first, unit, times]) => `${first}${unit.repeat(times)}`);
const key = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('__proto__', 'constructor', 'toJSON', 'length', '0'));

/** Any JSON value of small depth, with texts of all lengths and keys of all kinds. */
export const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(longText, shortText, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries): unknown => Object.fromEntries(entries)),
  ),
})).value;

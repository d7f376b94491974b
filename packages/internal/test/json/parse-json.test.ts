import { expect, test } from 'vitest';
import { parseJson } from '../../src/json/parse-json.js';

test('reads JSON, and gives undefined for any other text', () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(['', '{', 'undefined', "{'a':1}", '1 2'].map(parseJson)).toEqual(Array(5).fill(undefined));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberOfId } from '../../../src/session/peer/json-rpc.js';

test('accepts a number and its canonical spelling as an id', () => {
  fc.assert(
    fc.property(fc.integer(), (id) => {
      expect([numberOfId(id), numberOfId(String(id))]).toEqual([id, id]);
    }),
  );
  const others = ['5.0', ' 5', '5 ', '05', '0x5', '5e0', '+5', '', 'five', [5], ['5'], null, true, undefined, {}];
  for (const id of others) expect(numberOfId(id), JSON.stringify(id)).toBeUndefined();
});

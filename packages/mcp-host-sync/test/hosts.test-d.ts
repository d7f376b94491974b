import { expectTypeOf, test } from 'vitest';
import type { SyncStep } from '../src/index.js';

test('only a conflict has a reason', () => {
  type Conflict = Extract<SyncStep, { readonly type: 'conflict' }>;
  expectTypeOf<Conflict['reason']>().toEqualTypeOf<'foreign-entry' | 'edited-entry' | 'removed-entry'>();
  expectTypeOf<Exclude<SyncStep, Conflict>>().not.toHaveProperty('reason');
});

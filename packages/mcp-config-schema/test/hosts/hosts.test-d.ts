import { expectTypeOf, test } from 'vitest';
import type { HostServer, SyncStep } from '../../src/hosts.js';
import type { ServerConfig } from '../../src/index.js';

test('a loaded server can be synced as it stands', () => {
  expectTypeOf<ServerConfig>().toExtend<HostServer>();
});

test('only a conflict has a reason', () => {
  type Conflict = Extract<SyncStep, { readonly type: 'conflict' }>;
  expectTypeOf<Conflict['reason']>().toEqualTypeOf<'foreign-entry' | 'edited-entry' | 'removed-entry'>();
  expectTypeOf<Exclude<SyncStep, Conflict>>().not.toHaveProperty('reason');
});

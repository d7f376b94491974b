import type { Log } from 'sarif';
import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type {
  ConfigIssue,
  ConfigIssueCode,
  ServerConfig,
  ServerEntry,
  ToolOverride,
  ToolOverrides,
} from '../src/index.js';
import type { ConfigChange, LoadedConfig, watchConfig } from '../src/load.js';
import type { SarifLog } from '../src/report.js';
import type { mcpServerSchema } from '../src/schema/server-files.js';

test('the transport determines the fields of a server', () => {
  expectTypeOf<Extract<ServerConfig, { transport: 'stdio' }>['command']>().toEqualTypeOf<string>();
  expectTypeOf<Extract<ServerConfig, { transport: 'http' }>['url']>().toEqualTypeOf<string>();
  expectTypeOf<Extract<ServerConfig, { transport: 'http' }>>().not.toHaveProperty('command');
});

test('the code determines the fields of an issue', () => {
  expectTypeOf<Extract<ConfigIssue, { code: 'unset-variable' }>['variable']>().toEqualTypeOf<string>();
  expectTypeOf<ConfigIssue['severity']>().toEqualTypeOf<'error' | 'warning'>();
});

test('issue codes are a closed set', () => {
  expectTypeOf<ConfigIssueCode>().toEqualTypeOf<
    | 'circular-roles'
    | 'colliding-names'
    | 'command-and-url'
    | 'conflicting-tiers'
    | 'dead-rule'
    | 'duplicate-key'
    | 'duplicate-server'
    | 'empty-file'
    | 'forbidden-key'
    | 'foreign-tool'
    | 'health-check-without-tool'
    | 'ignored-key'
    | 'inline-secret'
    | 'invalid-value'
    | 'lost-backslash'
    | 'misplaced-star'
    | 'missing-file'
    | 'missing-key'
    | 'missing-required-server'
    | 'mixed-file'
    | 'no-virtual-environment'
    | 'outside-extension'
    | 'own-gateway'
    | 'package-mismatch'
    | 'prompted-value'
    | 'outside-project'
    | 'readable-secret'
    | 'missing-command'
    | 'project-role'
    | 'replaced-server'
    | 'rule-matches-nothing'
    | 'ambiguous-rule'
    | 'override-matches-nothing'
    | 'second-default'
    | 'syntax'
    | 'too-deep'
    | 'too-large'
    | 'too-many-issues'
    | 'too-many-servers'
    | 'unknown-key'
    | 'unknown-role'
    | 'unknown-server'
    | 'unknown-template'
    | 'unrecognised-file'
    | 'unresolved-secret'
    | 'unset-variable'
    | 'unsplit-command'
    | 'untrusted-file'
  >();
});

test('the type of an entry follows its schema', () => {
  expectTypeOf<ServerEntry>().toEqualTypeOf<z.infer<typeof mcpServerSchema>>();
});

test('a SARIF log has the types of the standard', () => {
  type Mutable<T> = T extends readonly (infer Item)[]
    ? Mutable<Item>[]
    : { -readonly [Key in keyof T]: Mutable<T[Key]> };
  expectTypeOf<Mutable<SarifLog>>().toExtend<Log>();
});

test('a watched configuration may be missing', () => {
  expectTypeOf<ReturnType<typeof watchConfig>>().toExtend<AsyncIterable<ConfigChange>>();
  expectTypeOf<ConfigChange['config']>().toEqualTypeOf<LoadedConfig | undefined>();
});

test('the texts of tools have types that can be imported', () => {
  expectTypeOf<ServerConfig['tools']>().toEqualTypeOf<ToolOverrides | undefined>();
  expectTypeOf<ToolOverrides[string]>().toEqualTypeOf<ToolOverride>();
});
